"""Rewrites of vector operations: proofs for all layouts, and for one."""
