"""layoutcheck: decides, exactly, whether GPU layouts are right."""

__version__ = "0.1.0"
