"""The half of `vstack reproduce` that runs in the code's own interpreter: standard library only, started by path.

`python child.py ORDER OUT` reads the order (JSON), loads the driver, takes one
model action after the other and writes what it saw to OUT as JSON lines. What
the model predicts is not in the order: a driver can't echo it.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import json
import os
import sys
import threading
import time
import traceback

# The folder of this file holds modules of vstack, which the driver must not meet.
sys.path.pop(0)

NO_DRIVER, DRIVER_FAILED = "no-driver", "driver-failed"


class Case:
    """What the driver is told: variant, environment, goal, constants, settings; and where events are logged."""

    def __init__(self, order, events):
        self.variant, self.environment, self.goal = order["variant"], order["environment"], order["goal"]
        self.constants, self.settings, self.seed = order["constants"], order["settings"], order["seed"]
        self.folder, self.seconds = order["folder"], order["seconds"]
        self._events, self._lock, self._next = events, threading.Lock(), 1
        self.ended = False

    def record(self, event, thread=None, causes=(), **fields):
        """Log one event of the real code and return its id (0 when the run is over); ``thread`` is by default the caller's."""
        with self._lock:
            if self.ended:
                return 0
            number, self._next = self._next, self._next + 1
            line = {"event": event, "id": number, "thread": thread or threading.current_thread().name}
            line["causes"] = list(causes)
            line.update(fields)
            self._events.write(json.dumps(line) + "\n")
            return number


class Out:
    """The report, a JSON object a line, flushed at once: a killed run leaves all it saw."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")

    def say(self, kind, **fields):
        """Write one line."""
        self._file.write(json.dumps({"kind": kind, **fields}) + "\n")
        self._file.flush()


def load(path):
    """The driver module at ``path``; its folder is importable."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("driver", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["driver"] = module
    spec.loader.exec_module(module)
    return module


def drive(driver, order, out):
    """Take the steps; observe, and look for the violation, after each. True if all were taken."""
    out.say("before", seen=sight(driver, order))
    for number, step in enumerate(order["steps"], start=1):
        action = driver.actions.get(step["action"])
        if action is None:
            out.say("no-action", at=number, action=step["action"], known=sorted(driver.actions))
            return False
        started = time.monotonic()
        try:
            action(**step["params"], **step["choices"])
        except Exception as error:
            if type(error).__name__ != "Parted":
                raise
            out.say("parted", at=number, why=str(error), observed=observed(driver))
            return False
        seconds = time.monotonic() - started
        out.say("step", at=number, observed=observed(driver), seen=sight(driver, order), seconds=seconds)
    return True


def sight(driver, order):
    """What in the real code shows the goal violated, or None."""
    text = driver.seen(order["goal"]) if order["goal"] else None
    if text is not None and not isinstance(text, str):
        raise TypeError("seen() must return a sentence or None, not " + type(text).__name__)
    return text


def observed(driver):
    """The model's variables as the real objects hold them now."""
    values = driver.observe()
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise TypeError("observe() must return a dict by variable")
    return values


def strangers(driver, before):
    """Threads that the driver left behind: neither the engine's own, nor daemons of the interpreter's start."""
    known = tuple(getattr(driver, "engine_threads", ()))
    left = [thread for thread in threading.enumerate() if thread is not threading.main_thread() and thread not in before]
    return sorted(thread.name for thread in left if not (known and thread.name.startswith(known)))


def main(order_path, out_path):
    """Run the order; the exit status is 0 whenever the report says how it ended."""
    with open(order_path, encoding="utf-8") as file:
        order = json.load(file)
    out = Out(out_path)
    stacks = open(order["stacks"], "w", encoding="utf-8")
    faulthandler.enable(stacks)
    # A driver that hangs: every thread's stack, then an exit that no handler can hold up.
    faulthandler.dump_traceback_later(order["seconds"], exit=True, file=stacks)
    with open(order["events"], "w", encoding="utf-8", buffering=1) as events:
        case, before, stage, driver = Case(order, events), set(threading.enumerate()), NO_DRIVER, None
        started = time.monotonic()
        try:
            driver = load(order["driver"]).open_driver(case)
            out.say("ready", seconds=time.monotonic() - started)
            stage = DRIVER_FAILED
            if order["free_run"]:
                driver.free_run()
            elif drive(driver, order, out):
                if order["settle"] and hasattr(driver, "settle"):
                    driver.settle()
                    out.say("settled", observed=observed(driver))
                out.say("seen", text=sight(driver, order))
            # What closing the driver does to the code is no part of the run.
            case.ended = True
            driver.close()
            left = []
            for _ in range(50):
                left = strangers(driver, before)
                if not left:
                    break
                time.sleep(0.1)
            out.say("end", threads=left, seconds=time.monotonic() - started)
        except BaseException:
            out.say(stage, text=traceback.format_exc())
    faulthandler.cancel_dump_traceback_later()
    # Threads of the engine that nothing can stop must not hold up the exit.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    paths = sys.argv[1:3]
    # The driver has no business with either file.
    del sys.argv[1:]
    main(*paths)
