"""What a lock pins, file by file: whole files, and single definitions in modules that stay free to edit."""

from __future__ import annotations

import os


class Listing:
    """Paths are relative to the project.

    ``whole`` maps a pinned file to what it holds; ``parts`` a free one to its
    pinned definitions, each with its approved text; ``results`` are files that
    only the harness writes.
    """

    def __init__(self, whole: dict[str, str], parts: dict[str, list[list[str]]], results: tuple[str, ...]) -> None:
        self.whole, self.parts, self.results = whole, parts, results


def listing(lock: dict) -> Listing:
    """The listing of a lock as ``lockfile.read_data`` gives it.

    A module that holds what a goal or an environment action rests on is pinned
    whole. The model's root module is not, nor a module that only Init, Next or
    the fairness lead to: work on a model must not need a person.
    """
    pins = lock.get("pins") or {}
    settings = {name: pin.get("value") or {} for name, pin in (pins.get("settings") or {}).items()}
    model = settings.get("model") or {}
    definitions = pins.get("definitions") or {}
    places = {name: os.path.normpath(entry["place"].rpartition(":")[0]) for name, entry in definitions.items()}
    free = {os.path.normpath(model["module"])} if "module" in model else set()
    # A proof is free to change around the statement that it is of.
    theorems = [pin for pin in (pins.get("goals") or {}).values() if (pin.get("value") or {}).get("kind") == "theorem"]
    free |= {places[pin["definitions"][0]] for pin in theorems}
    own = {model.get("init", "Init"), model.get("next", "Next")}
    whole: dict[str, str] = {}
    for section, word in (("goals", "goals"), ("environment", "the environment")):
        for name, pin in (pins.get(section) or {}).items():
            if section == "environment" and name in own:
                continue
            for definition in pin.get("definitions") or ():
                if places[definition] not in free:
                    whole.setdefault(places[definition], word)
            script = (pin.get("value") or {}).get("script")
            if script:
                whole.setdefault(os.path.normpath(script), "a Z3 goal")
    if "config" in model:
        whole.setdefault(os.path.normpath(model["config"]), "the model's configuration")
    for name in ("tlc_jar", "java", "tlapm", "apalache"):
        tool = (settings.get("tools") or {}).get(name)
        if tool and not os.path.isabs(tool):
            whole.setdefault(os.path.normpath(tool), "a tool whose hash is approved")
    parts: dict[str, list[list[str]]] = {}
    for name, place in places.items():
        if place not in whole:
            parts.setdefault(place, []).append([name, definitions[name]["text"]])
    driver = (settings.get("reproduce") or {}).get("driver")
    results = (os.path.join(os.path.dirname(os.path.normpath(driver)), "results.json"),) if driver else ()
    return Listing(whole, parts, results)


def folded(text: str) -> str:
    """``text`` with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


def stands(text: str, definition: str) -> bool:
    """Whether the approved ``definition`` stands in ``text`` word for word, layout aside."""
    return folded(definition) in folded(text)
