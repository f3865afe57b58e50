"""Atom files: records, their operands, and the rules asked of them."""
