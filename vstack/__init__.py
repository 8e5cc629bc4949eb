"""vstack: a harness that makes a coding agent's verification claims worth believing."""

__version__ = "0.1.0"
