"""Families: layouts whose extents and strides are expressions in named positive integer parameters."""
