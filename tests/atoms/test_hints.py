"""A hint is printed only where the whole atom passes once it is followed."""

from __future__ import annotations

import re

from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source
from layoutcheck.verdict import Diagnostic

RDNA4 = """layoutcheck: 1
atoms:
- name: x
  kind: mma
  arch: gfx1201
  wave: 32
  mnk: [16, 16, 16]
  thr: "32:1"
  a: "{a}"
  b: "{b}"
  c: "((16,2),8):((16,8),1)"
  elements: {{a: f16, b: f16, c: f32}}
"""
INSTRUCTION = "((16,2),(4,2)):((1,64),(16,128))"
RELABELLED = "((16,2),8):((1,128),16)"  # legal while A and B share it
SLIP = "((16,2),8):((1,16),16)"


def found(text: str) -> list[Diagnostic]:
    return check_source(Source("x", text), certify=True, timeout=10)[1]


def errors(text: str) -> list[str]:
    return [d.code for d in found(text) if d.severity == "error"]


def test_a_hint_that_is_followed_mends_the_atom() -> None:
    wrong = RDNA4.format(a=SLIP, b=INSTRUCTION)
    hints = [match for d in found(wrong) if (match := re.search(r'a: "(.*)"', d.hint))]
    assert hints
    assert errors(wrong)
    assert not errors(RDNA4.format(a=hints[0].group(1), b=INSTRUCTION))


def test_no_hint_where_the_other_operand_would_not_fit() -> None:
    wrong = RDNA4.format(a=SLIP, b=RELABELLED)
    assert errors(wrong) == ["LC301"]
    assert errors(RDNA4.format(a=INSTRUCTION, b=RELABELLED)) == ["LC402"]  # what following such a hint would give
    assert not any(d.hint for d in found(wrong))
