"""`python -m vstack` is the command line."""

from vstack.cli import main

main()
