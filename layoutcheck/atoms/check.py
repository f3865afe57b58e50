"""Ask every rule of every operand, each only when the facts it needs are known; collect what breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ..catalog import atom_type
from ..claim import Claim
from ..codes import RULES
from ..decide import portfolio
from ..errors import Disagreement
from ..source import Source, Span
from ..verdict import Diagnostic, Instance, Severity, Verdict
from . import oracle, registers, rules_counts, rules_form, rules_map, rules_oracle
from .convert import suggestion
from .entry import Entry, fill
from .load import load
from .model import Atom, Finding, Operand
from .schema import Ignore, Mma, PackLayout, Rewrite

if TYPE_CHECKING:
    from .families import Narrow
    from .members import Checked


class Asker:
    """Puts one atom's claims to the portfolio; what is not decided becomes LC901 or LC902."""

    def __init__(self, certify: bool, timeout: float) -> None:
        self.certify, self.timeout = certify, timeout
        self.verdicts: list[Verdict] = []
        self.undecided: list[Verdict] = []

    def __call__(self, claim: Claim) -> Verdict:
        return self.note(portfolio.decide(claim, certify=self.certify, timeout=self.timeout))

    def note(self, verdict: Verdict) -> Verdict:
        """Count a verdict."""
        self.verdicts.append(verdict)
        if verdict.status not in ("proved", "refuted"):
            self.undecided.append(verdict)
        return verdict


# An element held r times by everyone: nothing but r is wrong with the map. A map that is not whole is not that of any
# instruction.
_IMPLIED: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("LC202", "LC203", "LC301", "LC302", "LC303"), ("LC401", "LC402", "LC404")
)
_IMPLIED |= {"LC204": ("LC203", "LC301", "LC302", "LC303")}


class _Run:
    """The rules of one atom, in the order of the table, and what they found."""

    def __init__(self, atom: Atom, ask: Asker) -> None:
        self.atom, self.ask = atom, ask
        self.found: list[Diagnostic] = []
        self.ignored = {i.code for i in atom.entry.record.ignore if _is_suppression(i)}

    def rule(self, code: str, operand: Operand | None, question: Callable[[], Finding | None]) -> bool:
        """Ask `question` for rule `code` unless a fact is missing or an earlier finding tells the same.

        Whether the rule was asked, decided, and holds.
        """
        rule = RULES[code]
        facts = self.atom.facts if operand is None else operand.facts
        name = "" if operand is None else operand.name
        if not set(rule.needs) <= facts:
            return False
        if self.is_told(code, name):
            return False
        before = len(self.found)
        finding = question()
        self.collect(code, operand)
        if finding:
            self.tell(code, operand, finding, rule.severity)
        return len(self.found) == before

    def is_told(self, code: str, operand: str) -> bool:
        """Whether a finding on the operand tells the same; one that is suppressed tells only what it implies."""
        return any(
            d.code in RULES[code].silenced_by
            and d.operand == operand
            and (d.code not in self.ignored or code in _IMPLIED.get(d.code, ()))
            for d in self.found
        )

    def collect(self, code: str, operand: Operand | None) -> None:
        """What was left undecided since the last time."""
        self.found += [_undecided(self.atom, code, operand, verdict) for verdict in self.ask.undecided]
        self.ask.undecided.clear()

    def tell(self, code: str, operand: Operand | None, finding: Finding, severity: Severity) -> None:
        """Report a finding, unless an earlier one on the operand tells the same."""
        if not self.is_told(code, "" if operand is None else operand.name):
            self.add(code, operand, finding, severity)

    def add(self, code: str, operand: Operand | None, finding: Finding, severity: Severity) -> None:
        """Report a finding."""
        name = "" if operand is None else operand.name
        self.found.append(
            Diagnostic(
                code, severity, finding.span, finding.message, self.atom.entry.name, name,
                finding.lines, finding.witness, finding.verdict,
            )
        )  # fmt: skip


def _undecided(atom: Atom, code: str, operand: Operand | None, verdict: Verdict) -> Diagnostic:
    kind = "LC901" if verdict.status == "disagree" else "LC902"
    where: Span = operand.span if operand else atom.entry.place("name")
    message = f"{RULES[code].name} ({code}) was not decided: {verdict.note}"
    return Diagnostic(
        kind, RULES[kind].severity, where, message, atom.entry.name, operand.name if operand else "", verdict=verdict
    )


def _pack_rules(run: _Run) -> None:
    from . import pack

    atom, ask = run.atom, run.ask
    (operand,) = atom.operands
    run.rule("LC110", operand, partial(pack.overflow, operand))
    for extents in atom.shapes:
        run.rule("LC306", operand, partial(pack.shape_fits, operand, extents))
    if atom.kind == "pack_layout":
        run.rule("LC305", operand, partial(pack.chain, operand, ask))
        run.rule("LC307", operand, partial(pack.threads_exist, operand, ask))


def _map_rules(run: _Run) -> None:
    from . import rules_indexmap

    for code, verdict, finding in rules_indexmap.decided(run.atom, run.ignored, run.ask.certify, run.ask.timeout):
        run.ask.note(verdict)
        run.rule(code, None, partial(_known, finding))


def _known(finding: Finding | None) -> Finding | None:
    return finding


def _rules(run: _Run) -> None:
    atom, ask = run.atom, run.ask
    if atom.kind == "map":
        _map_rules(run)
        return
    if atom.kind in ("pack_map", "pack_layout"):
        _pack_rules(run)
        return
    run.rule("LC201", None, partial(rules_counts.wave_size, atom))
    sides = [o for o in atom.operands if o.name != "ref"]
    ref = atom.operand("ref")
    if ref:
        run.rule("LC208", ref, partial(rules_map.ref_is_side, atom, ask))
    told = [d for d in run.found if d.code == "LC201" and d.code not in run.ignored]
    wave = next((d.witness["allowed"] for d in told if d.witness), ())
    for operand in sides:
        if operand.threads not in wave:  # there, thr is the slip and not the operand
            run.rule("LC202", operand, partial(rules_counts.thread_count, operand))
        run.rule("LC206", operand, partial(rules_counts.copy_width, operand))
        run.rule("LC204", operand, partial(rules_map.undeclared_replication, operand, ask))
        run.rule("LC203", operand, partial(rules_counts.tile_size, operand))
        run.rule("LC205", operand, partial(rules_counts.register_width, operand))
        run.rule("LC209", operand, partial(registers.promotable, operand, ask))
        run.rule("LC210", operand, partial(registers.intrinsic_width, operand))
        _whole(run, operand)
    src, dst = atom.operand("src"), atom.operand("dst")
    if (
        src
        and dst
        and "map" in src.facts
        and not any(d.operand == "src" and d.code not in run.ignored for d in run.found)
    ):
        run.rule("LC304", dst, partial(rules_map.same_bits, src, dst, ask))
    for width, place in atom.widths:
        for operand in sides:
            run.rule("LC207", operand, partial(rules_map.recast, operand, width, place, ask))
            if any(d.code == "LC207" and d.span == place for d in run.found):
                break  # the width is told, once


_SLIPS = (
    ("LC202", rules_counts.wrong_threads),
    ("LC203", rules_counts.wrong_extent),
    ("LC206", rules_counts.wrong_bits),
)


def _one_slip(run: _Run) -> None:
    """What every operand breaks by one number is told once, where that number stands; and no instruction has a wrong
    extent, so LC405 then says no more than LC203.
    """
    for code, slip in _SLIPS:
        broken = [d.operand for d in run.found if d.code == code and d.operand]
        finding = slip(run.atom, broken) if code not in run.ignored else None
        if finding:
            follows = "LC405" if code == "LC203" else ""
            run.found = [d for d in run.found if d.code != follows and not (d.code == code and d.operand)]
            run.add(code, None, finding, RULES[code].severity)


def _whole(run: _Run, operand: Operand) -> None:
    """LC301, LC303, LC302. Where the counts are equal (LC203 is silent) two of them decide the third."""
    equal = operand.map is not None and operand.product == operand.tile_size * operand.replication
    injective = run.rule("LC301", operand, partial(rules_map.injective, operand, run.ask))
    bounded = run.rule("LC303", operand, partial(rules_map.in_bounds, operand, run.ask))
    twice = any(d.code == "LC301" and d.operand == operand.name for d in run.found)
    if equal and (twice or (injective and bounded)):  # an element held too often leaves another one out
        return
    covering = run.rule("LC302", operand, partial(rules_map.covering, operand, run.ask))
    refuted = any(d.code == "LC302" and d.operand == operand.name for d in run.found)
    if bounded and equal and (covering or refuted):  # what LC301 did not decide is decided now
        run.found = [d for d in run.found if d.code != "LC902" or d.operand != operand.name]


def _oracle(run: _Run, hint: bool) -> tuple[dict[str, Any] | None, str]:
    """LC401 to LC407, and what the report says of the comparison: its data, and a note where there was none."""
    atom, ask = run.atom, run.ask
    found = oracle.find(atom)
    if found is None or isinstance(found, str):
        return None, found or ""
    if isinstance(found, Finding):
        run.tell("LC405", None, found, "error")
        return None, ""
    if isinstance(found, tuple):
        malformed, where = found
        run.tell(malformed.code, None, Finding(malformed.message, where), RULES[malformed.code].severity)
        return None, ""
    wrong_wave = any(d.code == "LC201" for d in run.found)  # then whose registers are meant is not known
    for operand in () if wrong_wave else atom.operands:
        differs = rules_oracle.registers(operand, found)
        if differs:
            run.tell("LC406", operand, differs, rules_oracle.severity("LC406", found))
    compared = rules_oracle.compare(atom, found, ask, certify=ask.certify, timeout=ask.timeout)
    for code, about, finding in rules_oracle.findings(atom, compared, ask) if compared else ():
        run.tell(code, about, finding, rules_oracle.severity(code, found))
    run.collect("LC401", None)
    if hint and run.found:
        from . import hints

        check = partial(_findings, certify=ask.certify, timeout=ask.timeout)
        run.found = [replace(d, hint=hints.hint(d, atom, found, check)) if d.operand else d for d in run.found]
    if compared is None:
        return {"instruction": found.name, "grade": "wrong" if run.found else "no-oracle"}, ""
    note = "" if found.complete else f"{found.name}: not every operand's map is known for these types"
    return compared.as_dict(), note


def _findings(entry: Entry, *, certify: bool, timeout: float) -> list[Diagnostic]:
    return check_entry(entry, certify=certify, timeout=timeout, hint=False)[1]


class Outcome(NamedTuple):
    """What a check from outside found on one entry, and how many questions it settled."""

    found: list[Diagnostic]
    claims: int = 0
    certified: int = 0
    notes: tuple[str, ...] = ()


Outside = Callable[[Entry, bool, float], Outcome]  # entry, certify, seconds


def check_entry(
    entry: Entry, *, certify: bool, timeout: float, hint: bool = True, outside: Outside | None = None
) -> tuple[list[Instance], list[Diagnostic]]:
    """The instances of one atom (a copy atom counts once for each width) and what is wrong with them; with `hint`, each
    finding with the nearest layout that every rule accepts. `outside` checks entries of kind rewrite.
    """
    if isinstance(entry.record, Rewrite):
        return _outside(entry, outside(entry, certify, timeout) if outside else _unchecked(entry))
    unchecked = _placeholder(entry)
    if unchecked:
        return unchecked
    atom, found = rules_form.build(entry)
    ask = Asker(certify, timeout)
    run = _Run(atom, ask)
    run.found += found
    if getattr(entry.record, "placeholder", None) is not None:
        message = "placeholder: no type is named whose layouts are known to stand for nothing, so they are checked"
        run.found.append(_about(entry, entry.place("placeholder"), "LC102", message))
    compared, note = None, ""
    try:
        _rules(run)
        compared, note = _oracle(run, hint)
        _one_slip(run)
    except Disagreement as error:
        run.found.append(_about(entry, entry.place("name"), "LC901", str(error)))
    findings = _suppress(entry, run.found)
    claims, certified = len(ask.verdicts), sum(v.certified is not None for v in ask.verdicts)
    codes = tuple(sorted({d.code for d in findings if not d.suppressed}))
    names = [f"{entry.name} @{width}" for width, _ in atom.widths] if atom.kind == "copy" else [entry.name]
    bare = sum(v.status == "proved" and v.certified is None for v in ask.verdicts) if certify else 0
    uncertified = "some proofs are not certified: the second engine did not answer (-v counts them)" if bare else ""
    notes = tuple(filter(None, (*_notes(atom), note, uncertified)))
    instances = [
        Instance(entry.source, name, atom.kind, claims, certified, codes, notes, compared, entry.texts)
        for name in names
    ]
    return instances, findings


def _outside(entry: Entry, outcome: Outcome) -> tuple[list[Instance], list[Diagnostic]]:
    findings = _suppress(entry, outcome.found)
    codes = tuple(sorted({d.code for d in findings if not d.suppressed}))
    kind = type(entry.record).__name__.lower()
    instance = Instance(
        entry.source, entry.name, kind, outcome.claims, outcome.certified, codes, outcome.notes, None, entry.texts
    )
    return [instance], findings


def _unchecked(entry: Entry) -> Outcome:
    return Outcome([_about(entry, entry.place("kind"), "LC903", "entries of this kind are not checked here")])


def _placeholder(entry: Entry) -> tuple[list[Instance], list[Diagnostic]] | None:
    """An atom whose type's layouts stand for nothing is not checked: a note where the file says so, else LC903."""
    kind = type(entry.record).__name__.lower()
    said, text = getattr(entry.record, "placeholder", None), getattr(entry.record, "type", None)
    facts = atom_type(fill(text, entry.texts)) if text and (said is not None or "tdm" in text) else None
    if facts is None or not facts.placeholder:
        return None
    if said and said.strip():
        note = f"placeholder layouts, listed and not checked: {said.strip()}"
        return [Instance(entry.source, entry.name, kind, notes=(note,), parameters=entry.texts)], []
    message = f"the layouts of this type are placeholders, so nothing is claimed: {facts.placeholder}"
    found = _suppress(entry, [Diagnostic("LC903", RULES["LC903"].severity, entry.place("type"), message, entry.name)])
    codes = tuple(sorted({d.code for d in found if not d.suppressed}))
    return [Instance(entry.source, entry.name, kind, codes=codes, parameters=entry.texts)], found


def _notes(atom: Atom) -> Iterator[str]:
    """What the file has that no rule looked at, and what it lacks."""
    record = atom.entry.record
    if isinstance(record, PackLayout):
        if record.threads is None:
            yield "no threads: LC307 exceeds-threads was not asked"
        if not (record.shape or record.tensor):
            yield "no shape: LC306 pack-shape-mismatch was not asked"
    if isinstance(record, Mma) and record.arch is None and not rules_counts.is_universal(atom):
        yield "no arch: LC201 wave-size was not asked"


def _suppress(entry: Entry, found: list[Diagnostic]) -> list[Diagnostic]:
    """Mark what the atom's `ignore` entries cover; an entry without reason, rule or use is a finding."""
    extra = []
    for i, ignore in enumerate(entry.record.ignore):
        where = _ignore_place(entry, i)
        report = partial(_about, entry, where)
        if ignore.code not in RULES or ignore.code.startswith("LC90"):
            hint = suggestion(ignore.code, list(RULES)) if ignore.code not in RULES else ": it cannot be suppressed"
            extra.append(report("LC102", f"no rule '{ignore.code}' to suppress{hint}"))
        elif not ignore.reason.strip():
            extra.append(report("LC906", f"suppressing {ignore.code} needs a reason; nothing is suppressed"))
        elif not any(d.code == ignore.code for d in found):
            extra.append(report("LC905", f"nothing to suppress: {ignore.code} is silent here"))
        else:
            found = [replace(d, suppressed=ignore.reason) if d.code == ignore.code else d for d in found]
    return found + extra


def _is_suppression(ignore: Ignore) -> bool:
    """Whether an `ignore` entry is one that counts."""
    return ignore.code in RULES and not ignore.code.startswith("LC90") and bool(ignore.reason.strip())


def _ignore_place(entry: Entry, i: int) -> Span:
    from ..source import span

    items = entry.node_of("ignore").items
    return span(entry.source, items[i]) if i < len(items) else entry.place("ignore")


def _about(entry: Entry, where: Span, code: str, message: str) -> Diagnostic:
    return Diagnostic(code, RULES[code].severity, where, message, entry.name)


def check_source(
    source: Source, *, certify: bool, timeout: float, outside: Outside | None = None, narrow: Narrow | None = None
) -> tuple[list[Instance], list[Diagnostic]]:
    """Everything about one atom file, in the order of its places; `narrow` keeps the instances of some parameters."""
    entries, found = load(source, narrow)
    instances: list[Instance] = []
    one = partial(check_entry, certify=certify, timeout=timeout, outside=outside)
    for _, together in groupby(entries, key=lambda entry: id(entry.record)):
        mine, problems = _checked(list(together), one, narrowed=bool(narrow))
        instances += mine
        found += problems
    found.sort(key=lambda d: (d.span.line, d.span.column, d.code))
    return instances, found


def _checked(entries: list[Entry], check: Callable[..., Checked], *, narrowed: bool) -> Checked:
    """One atom, or all the instances of a family."""
    if entries[0].record.family is None:
        return check(entries[0])
    from . import members

    domain = entries[0].domain
    if domain is not None:
        instances, found = members.check(entries, domain, lambda entry, hint: check(entry, hint=hint))
    else:
        checked = [check(entry) for entry in entries]
        instances, found = [i for mine, _ in checked for i in mine], [d for _, theirs in checked for d in theirs]
    return instances, members.used_by_none(found, len(entries), narrowed=narrowed)
