"""One module per command: a plain function that does the work and returns the exit code."""
