"""A process that registers a pool with Mooncake and does nothing else; each line on its input prints a page's bytes' sum."""

from __future__ import annotations

import json
import sys

import numpy as np

from veriserve.mooncake import Extents, Mooncake


def main() -> None:
    page_bytes, pages = int(sys.argv[1]), int(sys.argv[2])
    memory = np.empty((pages, page_bytes), np.uint8)
    for page in range(pages):
        memory[page] = np.random.default_rng(page).integers(0, 256, page_bytes, dtype=np.uint8)
    engine = Mooncake(Extents(memory.ctypes.data, page_bytes, pages))
    print(json.dumps({"session": engine.session, "base": memory.ctypes.data}), flush=True)
    for line in sys.stdin:
        print(memory[int(line)].tobytes().hex(), flush=True)


if __name__ == "__main__":
    main()
