"""Every rule as data: the one table that checks, `explain`, `show --list rules` and the tests read.

`needs` names facts about an operand (or atom) without which the rule is not asked ("counted": what the
operand has to fill is known, a tile or a number of bits); `silenced_by` names rules whose finding on the
same operand already tells the same slip. Numbers never change meaning.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Fact = Literal[
    "thr", "val", "map", "tile", "counted", "bits", "registers", "arch", "width", "fragment", "intrinsic", "threads"
]


class Rule(msgspec.Struct, frozen=True):
    """One rule. `formula` is the condition that holds when the rule is silent."""

    code: str
    name: str
    formula: str
    why: str
    needs: tuple[Fact, ...] = ()
    silenced_by: tuple[str, ...] = ()
    severity: Literal["error", "warning"] = "error"
    seen: str = ""


_COUNTS = ("LC202", "LC203", "LC204")

_TABLE = (
    Rule(
        "LC101",
        "yaml-syntax",
        "the text is YAML",
        "Nothing in the file can be read. The usual cause is a layout without quotes: `thr: 64 : 1` is no YAML.",
    ),
    Rule(
        "LC102",
        "schema",
        "known keys and kinds, required keys present, right types, nothing twice",
        "A misspelt key would be a check that silently never runs.",
    ),
    Rule(
        "LC103",
        "layout-syntax",
        "a layout is shape:stride, two nested tuples of integers",
        "The text is no layout in any of the notations: plain, CuTe, !fly.layout<>, #iree_map.pack_map<>.",
    ),
    Rule(
        "LC104",
        "not-congruent",
        "shape and stride have the same nesting",
        "Each extent needs its own stride. The Fly dialect has no verifier for this and accepts such texts.",
        seen="FlyDSL #583: `(4,8):(1,(4,1))` parses in 0.5.0",
    ),
    Rule(
        "LC105",
        "non-positive-extent",
        "every extent >= 1",
        "An extent of 0 makes an empty operand: usually an integer division that truncated.",
        seen="FlyDSL 0.5.0 publishes `((32,2),0):((1,0),32)` for cdna3.mfma 32x32x1",
    ),
    Rule(
        "LC106",
        "negative-stride",
        "every stride >= 0",
        "Offsets in a reference tile count upwards from 0; complement and inverse are undefined otherwise.",
        seen="tensor-layouts 318a217: complement of 4:-1",
    ),
    Rule(
        "LC107",
        "not-thr-val-pair",
        "the top level of the layout is the pair (thread, value)",
        "FlyDSL slices mode 0 as threads and mode 1 as values; any other rank is read wrongly, in silence.",
    ),
    Rule(
        "LC108",
        "inexact-division",
        "every `/` divides without remainder; at every point of an index map, no divisor is 0 and `//` and `%` round "
        "as C++ does",
        "C++ truncates in silence, and the layout it then builds is another one.",
        seen="FlyDSL 0.5.0: cdna3.mfma 5x5x7 computes 64/5 = 12 threads a row",
    ),
    Rule(
        "LC109",
        "vacuous",
        "there is something to check",
        "No atoms, a family without an instance, a copy atom without widths: every rule passes, because none is asked.",
    ),
    Rule(
        "LC110",
        "overflow-64-bit",
        "every extent, stride, size and offset of a pack map is below 2^63, every value in an index map too",
        "IREE computes with 64-bit integers and wraps around in silence; here arithmetic is exact.",
        needs=("map",),
        seen="iree-opt 3.13.0 prints ((2^32,2^32)):((0,0)) as (0):(0)",
    ),
    Rule(
        "LC111",
        "type-mismatch",
        "the type text and the fields name the same shape, elements and bits",
        "One of the two was changed and the other forgotten; every other rule believes the fields.",
    ),
    Rule(
        "LC201",
        "wave-size",
        "|thr| = the number of threads that issue the instruction on this arch",
        "With another count the instruction still runs, on registers that some lanes never filled.",
        needs=("thr", "arch"),
        seen="FlyDSL #1024: gfx1250 treated as wave64",
    ),
    Rule(
        "LC202",
        "thread-count-differs",
        "|thr| of each operand = its lanes (|thr layout| unless `lanes` says otherwise); thr itself is n:1",
        "All operands of one instruction belong to the same lanes.",
        needs=("thr",),
        seen="FlyDSL 0.5.0: cdna3.mfma 5x5x7 has 64 threads and an A operand with 60",
    ),
    Rule(
        "LC203",
        "tile-size",
        "|thr| * |val| = tile * replication",
        "The (thread, value) pairs are too few or too many for the operand's tile.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC204"),
    ),
    Rule(
        "LC204",
        "undeclared-replication",
        "an element held r > 1 times by everyone alike is declared: `replication: {a: r}`",
        "RDNA3 really holds each element of A and B twice; elsewhere the same shape is a forgotten mode.",
        needs=("map", "counted"),
        silenced_by=("LC202", "LC206"),
        seen="IREE #18206: the f16 accumulator map copied the tile for each half of the lanes",
    ),
    Rule(
        "LC205",
        "register-width",
        "|val| * pitch = 32 * registers = the bits of the operand's fragment, as far as these are given",
        "The lowering loads exactly the operand's registers; fewer or more values than fit are garbage.",
        needs=("val", "bits"),
        silenced_by=_COUNTS,
    ),
    Rule(
        "LC206",
        "copy-width",
        "|val| = the bits the atom moves = those of a register fragment, where one is given",
        "A copy atom's layouts are in bits: each thread moves exactly `bits` of them.",
        needs=("val", "width"),
        silenced_by=("LC202",),
        seen="FlyDSL #650: a register vector of 8 x f32 (256 bits) against a 128-bit copy",
    ),
    Rule(
        "LC207",
        "recast",
        "w divides the bits; every group of w bits is contiguous in one thread and starts at a multiple of w",
        "Otherwise no layout of w-bit values names these bits. FlyDSL rounds up, loses threads or aborts.",
        needs=("map", "width"),
        silenced_by=("LC202", "LC206"),
        seen="FlyDSL 0.5.0: lds_read_trans<16b, 64> at 32 bits gives dst 8 threads, src 16",
    ),
    Rule(
        "LC208",
        "ref-is-neither",
        "ref is the layout of src or of dst",
        "The reference order of a copy is that of its source or of its destination (mostly the register side).",
        needs=("map",),
    ),
    Rule(
        "LC209",
        "fragment-not-promotable",
        "a register fragment coalesces to stride 1, or to size 1",
        "Only such a register memref becomes one SSA value, a vector of its elements; any other stays in memory.",
        needs=("fragment",),
    ),
    Rule(
        "LC210",
        "intrinsic-width",
        "the bits of the intrinsic's operand type = |val| * pitch",
        "The lowering casts the values to that type bit by bit, and a cast between widths is no valid operation.",
        needs=("val", "bits", "intrinsic"),
        silenced_by=(*_COUNTS, "LC205", "LC206"),
    ),
    Rule(
        "LC301",
        "not-injective",
        "no element is held more often than declared; no two points of an index map have one image",
        "Two (thread, value) pairs read one element, so another one is read by nobody.",
        needs=("map", "counted"),
        silenced_by=("LC202", "LC203", "LC204", "LC206"),
        seen="CUTLASS #1856: m16n8k256 A written with row-major thinking; FlyDSL 0.5.0 gfx1250.wmma_scale<32x16x128> C;"
        " #782: a remap of 18 groups to 8 XCDs",
    ),
    Rule(
        "LC302",
        "not-covering",
        "every element of the tile is held; every element of `onto` is the image of a point",
        "An element that nobody holds is never read or written.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC203", "LC204", "LC301"),
        seen="FlyDSL #1007: a thread that owns 56 bytes loads 48",
    ),
    Rule(
        "LC303",
        "out-of-bounds",
        "every offset is below the size of the tile; every image of an index map is inside `onto`",
        "The offset names no element of the tile.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC203", "LC204"),
        seen="FlyDSL #979: a grid of 9 rows swizzled in groups of 8",
    ),
    Rule(
        "LC304",
        "copy-bits-differ",
        "src and dst name the same bits",
        "The copy reads bits it never writes, or the other way round.",
        needs=("map",),
        silenced_by=("LC202", "LC204", "LC206", "LC301"),
    ),
    Rule(
        "LC305",
        "pack-not-chain",
        "sorted, each thread stride is a multiple of the one before times its extent",
        "IREE splits a thread's number by these strides one after the other. Other strides give other elements than "
        "the layout says, and crash vector.step; IREE's verifier lets them pass.",
        needs=("map",),
        seen="iree-opt 3.13.0 accepts ((4,8)):((1,1)), and crashes on vector.step with ((2,2)):((1,3))",
    ),
    Rule(
        "LC306",
        "pack-shape-mismatch",
        "one mode for each dimension, of its size; of a ranked tensor's dimension or more (padding)",
        "The modes of a layout are the dimensions of the value it distributes.",
        needs=("map",),
    ),
    Rule(
        "LC307",
        "exceeds-threads",
        "every thread that the layout names is there: its largest offset is below `threads`",
        "What belongs to a thread that does not exist is computed by nobody.",
        needs=("map", "threads"),
        silenced_by=("LC305",),
        seen="IREE #23747: a layout of 128 threads on a subgroup of 64",
    ),
    Rule(
        "LC401",
        "differs-from-instruction",
        "the layout is the instruction's own map, up to a relabelling of M, N and K that A, B and C share",
        "Counts, injectivity and coverage cannot see a clean bijection that is the wrong one. The instruction can.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC203", "LC301", "LC302", "LC303"),
        seen="FlyDSL #485: RDNA3 C written as RDNA4; tensor-layouts 0.3.2: all RDNA atoms",
    ),
    Rule(
        "LC402",
        "k-order-differs",
        "A and B relabel K alike",
        "A product may sum over K in any order, but A's k and B's k must be the same one.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC203", "LC301", "LC302", "LC303"),
        seen="FlyDSL 0.5.0: gfx1250.wmma_scale with an 8-bit A and a 4-bit B",
    ),
    Rule(
        "LC403",
        "block-scale-broken",
        "every k stays in the aligned block that its scale serves",
        "A block-scaled instruction multiplies 32 or 16 consecutive k with the one scale that a lane supplies.",
        needs=("map", "tile"),
        seen="FlyDSL 0.5.0: cdna4.mfma_scale with 8-bit A and B",
    ),
    Rule(
        "LC404",
        "transposed",
        "the layouts are the instruction's maps as they are, not those of the transposed product",
        "Rows and columns are exchanged: right only for a caller who exchanges A and B.",
        needs=("map", "tile"),
        silenced_by=("LC202", "LC203", "LC301", "LC302", "LC303"),
        seen="TileLang #2105: the 32x32 MFMA C map returned (m, n) for (n, m)",
    ),
    Rule(
        "LC405",
        "no-such-instruction",
        "the architecture has an instruction of this name, shape and element types",
        "What has no instruction cannot be lowered, or is lowered to another one that reads other numbers.",
        seen="FlyDSL #943: gfx1201 given the K=32 atom of gfx1250; FlyDSL 0.5.0 accepts cdna3.mfma 16x16x1000",
    ),
    Rule(
        "LC406",
        "registers-differ",
        "registers, values and pitch of each operand are the instruction's",
        "The map may be right for other registers than the instruction reads: a 16-bit C of RDNA3 uses half of each.",
        silenced_by=("LC105", "LC202", "LC203", "LC204", "LC205"),
        seen="IREE #18206 and #23806: the f16 accumulator of RDNA3",
    ),
    Rule(
        "LC407",
        "relabelled",
        "the layouts are the instruction's maps without a relabelling",
        "Legal: the product is the same. Whoever mixes this atom's operands with another's must know the order.",
        severity="warning",
        seen="FlyDSL 0.5.0: gfx120x.wmma f16 and bf16 exchange k 4..7 with 8..11 in A and B alike",
    ),
    Rule(
        "LC408",
        "drift-from-compiler",
        "the file's layouts are those that the installed compiler publishes for the type",
        "File and compiler have parted: one of them changed, or one of them is wrong. Asked by `--against`.",
        seen="FlyDSL 0.5.0: cdna4.mfma_scale, 8 bit",
    ),
    Rule(
        "LC501",
        "ownership",
        "after the rewrite each thread has, at each index, the element that the destination's layout gives it",
        "A shape_cast keeps the order of a thread's elements: both layouts must be one function of the flat element.",
        seen="IREE #24955: nested_layout 4x4 to 2x8, element 2 belongs to thread 2 before and to thread 0 after",
    ),
    Rule(
        "LC502",
        "not-chain",
        "sorted, each thread stride is a multiple of the one before times its extent",
        "buildThreadOffsets splits a thread's number by these strides one after the other; without a chain it cannot.",
        seen="iree-opt 3.13.0 crashes on vector.step with ((2,2)):((1,3))",
    ),
    Rule(
        "LC503",
        "reshape-cut",
        "no leaf of the coalesced layout straddles a suffix product of the new shape",
        "A leaf that such a cut does not divide belongs to two dimensions at once: no layout of that shape exists.",
    ),
    Rule(
        "LC504",
        "broadcast-misaligned",
        "modes that are not stretched are the destination's, with as many distributed dimensions to their right",
        "Each thread broadcasts its own part by position: a dimension that has shifted is read as another one.",
    ),
    Rule(
        "LC505",
        "transpose-mismatch",
        "the destination's layout is the source's with its modes permuted",
        "Each thread transposes its own part; a layout that was permuted otherwise names other elements there.",
        seen="IREE #16921: the same permutation was used in both directions",
    ),
    Rule(
        "LC506",
        "step-offset",
        "the offset of a thread is the first element that the layout gives it",
        "The thread's digit counts steps of the data stride, which is not the thread stride.",
        seen="IREE #19227: the thread stride used as data stride; #18055: an offset not multiplied by the elements",
    ),
    Rule(
        "LC507",
        "two-layouts",
        "everything that an elementwise operation, a select or a loop combines has one layout",
        "Each thread combines its own elements index by index; two layouts put different elements there.",
    ),
    Rule(
        "LC508",
        "fold-across-layouts",
        "to_simd and to_simt have one layout where to_simd(to_simt x) becomes x",
        "With two layouts the pair moves elements from thread to thread; without it they stay where they were.",
    ),
    Rule(
        "LC701",
        "unknown-state-field",
        "every state field is one that atoms of the architecture have",
        "A field is found by its name; a name that the dialect does not have cannot be set.",
    ),
    Rule(
        "LC702",
        "duplicate-state-field",
        "every state field stands once",
        "Each field is one slot of the struct; of two with one name only one could ever be written.",
    ),
    Rule(
        "LC703",
        "state-without-default",
        "every state field has a default",
        "The atom is made before its state is set: a slot without an initial value is undefined.",
    ),
    Rule(
        "LC704",
        "state-type",
        "a state field has the type that the architecture gives it, and the default fits",
        "The lowering writes and reads the slot with that type; another one is no valid insertion into the struct.",
    ),
    Rule(
        "LC705",
        "state-on-stateless",
        "an atom without mutable state has no `state`",
        "A stateless atom lowers to an empty struct: nothing could be stored, and nothing would read it.",
    ),
    Rule(
        "LC901",
        "engines-disagree",
        "the theorem and its certificate agree, and every witness replays",
        "A defect of this tool: please report the two answers shown. Exit code 2.",
    ),
    Rule(
        "LC902",
        "unknown",
        "every question was decided",
        "No engine decided the question in its time. Unknown is neither right nor wrong: exit code 3.",
        severity="warning",
    ),
    Rule(
        "LC903",
        "unsupported",
        "everything in the file is modelled",
        "The tool does not model this and claims nothing about it: exit code 3.",
        severity="warning",
    ),
    Rule(
        "LC904",
        "live-compiler-crashed",
        "the installed compiler answers",
        "It aborted, or did not come back in time, on a type text; it ran in a process of its own.",
        seen="FlyDSL 0.5.0: cdna3.mfma<128x128x4> divides by zero; lds_read_trans<6b, 96> at 8 bits aborts",
    ),
    Rule(
        "LC905",
        "unused-suppression",
        "each `ignore` entry suppresses a finding",
        "The finding is gone; the entry would hide the next one.",
        severity="warning",
    ),
    Rule(
        "LC906",
        "suppression-without-reason",
        "each `ignore` entry gives a reason",
        "Without one nobody can tell later whether it still holds. Nothing is suppressed.",
    ),
)

RULES: dict[str, Rule] = {rule.code: rule for rule in _TABLE}
