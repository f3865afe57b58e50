"""z3: an opinion on raw leaves that shares nothing with the theorems but the claim."""
