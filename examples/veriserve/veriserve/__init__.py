"""A small LLM serving engine whose every KV page is accounted for by one state machine, `PdLedger`."""

__version__ = "0.1.0"
