"""What keeps an agent's hands off approved files: standard library alone, so that a hook costs one start of Python."""
