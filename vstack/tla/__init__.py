"""The TLA+ front end: SANY's resolved syntax tree, closure hashes, actions, edits, cfg and values."""
