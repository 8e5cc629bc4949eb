"""What differs between two sets of pins: each change with its goal, definition and place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vstack.specify.pins import CLOSURES, Pin, Pins
from vstack.specify.settings import LISTED, Leaf, changed_leaves
from vstack.specify.words import reads_alike

ABSENT = "(absent)"
# Sections of `Pins` whose entries `vstack.yaml` names, with the section there that does.
_DECLARED = {"goals": "goals", "environment": "environment_actions", "operators": "model", "fairness": "model"}


@dataclass(frozen=True)
class Change:
    """One difference.

    ``section`` is a field of ``Pins`` or, for settings, the section of
    `vstack.yaml`; ``name`` the goal or entry; ``definition`` the changed
    definition behind it, if it is one; ``where`` is ``file:line`` now (for
    something removed, where it was); ``before`` and ``after`` are source text
    or values, ``ABSENT`` on one side for something added or removed.
    """

    section: str
    name: str
    definition: str | None
    where: str
    before: str
    after: str

    @property
    def kind(self) -> str:
        """``added``, ``removed`` or ``changed``."""
        return "added" if self.before == ABSENT else "removed" if self.after == ABSENT else "changed"

    @property
    def words(self) -> str:
        """The change as a sentence without its place."""
        if self.section not in CLOSURES:
            return self._setting()
        subject = f"{CLOSURES[self.section]} {self.name}"
        if self.definition is None:
            return f"{subject} was {self.kind}"
        if self.definition.split("!")[-1] == self.name:
            return f"{subject}: its formula was {self.kind}"
        return f"{subject}: the definition {self.definition} behind it was {self.kind}"

    def _setting(self) -> str:
        subject = f"{self.section}: {self.name}"
        if self.before == ABSENT:
            return f"{subject} was added" + _value(": ", self.after)
        if self.after == ABSENT:
            return f"{subject} was removed" + _value(", approved was ", self.before)
        return f"{subject} is {self.after}, approved was {self.before}"


def _value(before: str, text: str) -> str:
    """A value in a sentence; one of many lines (see ``changed_leaves``) only by how much it holds."""
    lines = text.splitlines()
    return f", with {len(lines)} entries" if len(lines) > 1 else "" if text == LISTED else before + text


def compare(approved: Pins, now: Pins, *, place: Callable[[Leaf], str]) -> tuple[Change, ...]:
    """The changes from ``approved`` to ``now``, goals first; ``place`` gives `vstack.yaml:line` for a path in it."""
    changes: list[Change] = []
    for section in CLOSURES:
        old: dict[str, Pin] = getattr(approved, section)
        new: dict[str, Pin] = getattr(now, section)
        for name in [*new, *(name for name in old if name not in new)]:
            before, after = old.get(name), new.get(name)
            if before is not None and after is not None:
                if before.digest != after.digest:
                    changes += _changed(section, name, approved, before, now, after, place)
            else:
                changes.append(_one_sided(section, name, approved, before, now, after, place))
    for name in sorted({*approved.settings, *now.settings}):
        changes += _setting(name, approved.settings.get(name), now.settings.get(name), place)
    return tuple(changes)


def _setting(name: str, before: Pin | None, after: Pin | None, place: Callable[[Leaf], str]) -> list[Change]:
    if before is not None and after is not None and before.digest == after.digest:
        return []
    found = [
        Change(name, ".".join(path) or name, None, place((name, *path)), was or ABSENT, is_now or ABSENT)
        for path, was, is_now in changed_leaves(before and before.value, after and after.value)
    ]
    # Entries without leaves of their own (an empty list, an entry written twice) show only in the hash.
    whole = Change(name, name, None, place((name,)), str(before and before.value), str(after and after.value))
    return found or [whole]


def _one_sided(
    section: str,
    name: str,
    approved: Pins,
    before: Pin | None,
    now: Pins,
    after: Pin | None,
    place: Callable[[Leaf], str],
) -> Change:
    pin, pins = (after, now) if after is not None else (before, approved)
    assert pin is not None
    definition = pins.definitions.get(pin.definitions[0]) if pin.definitions else None
    if after is None and section in _DECLARED:
        # The definition may well be there still: what was removed is the entry that names it.
        where = place((_DECLARED[section],))
    else:
        where = definition.place if definition else place((section, name))
    text = definition.text if definition else str(pin.value)
    return Change(section, name, None, where, text if before else ABSENT, text if after else ABSENT)


def _changed(
    section: str, name: str, approved: Pins, before: Pin, now: Pins, after: Pin, place: Callable[[Leaf], str]
) -> list[Change]:
    found = []
    for key in dict.fromkeys((*after.definitions, *before.definitions)):
        old = approved.definitions[key] if key in before.definitions else None
        new = now.definitions[key] if key in after.definitions else None
        # A definition's digest covers what it uses: only where the text differs too is the change its own.
        if old is not None and new is not None and (old.digest == new.digest or reads_alike(old.text, new.text)):
            continue
        where = new.place if new is not None else old.place if old is not None else ""
        found.append(Change(section, name, key, where, old.text if old else ABSENT, new.text if new else ABSENT))
    for path, was, is_now in changed_leaves(before.value, after.value):
        found.append(
            Change(
                section,
                f"{name}.{'.'.join(path)}",
                None,
                place((section, name, *path)),
                was or ABSENT,
                is_now or ABSENT,
            )
        )
    # A closure may differ through an override alone, which no definition's own text shows.
    return found or [Change(section, name, None, place((section, name)), before.digest[:12], after.digest[:12])]
