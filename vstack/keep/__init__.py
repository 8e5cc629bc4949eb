"""Stage 5, keep checking: evidence by input hash, incremental checks, CI against a base branch."""
