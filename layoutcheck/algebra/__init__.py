"""The algebra of layouts, once for both orders. Every function states its law (table: `layoutcheck.laws`).

Arguments are layouts without swizzle. Outside its precondition a function raises Refused, with the name of the
part that fails and the numbers; it never returns a wrong layout. Where digits are cut, "fastest first" is the
leftmost leaf in colex, the rightmost in lex.
"""

from .compose import compose, compose_modes, extend
from .inverse import complement, left_inverse, right_inverse
from .simple import (
    coalesce,
    coalesce_modes,
    concat,
    downcast,
    filter_,
    flatten,
    identity,
    permute,
    project,
    reshape,
    upcast,
)
from .tiling import (
    blocked_product,
    flat_divide,
    logical_divide,
    logical_product,
    raked_product,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)

__all__ = [
    "blocked_product",
    "coalesce",
    "coalesce_modes",
    "complement",
    "compose",
    "compose_modes",
    "concat",
    "downcast",
    "extend",
    "filter_",
    "flat_divide",
    "flatten",
    "identity",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "permute",
    "project",
    "raked_product",
    "reshape",
    "right_inverse",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "zipped_divide",
    "zipped_product",
]
