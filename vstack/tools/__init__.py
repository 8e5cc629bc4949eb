"""The tools that vstack drives: find them, check their hashes, probe what they can do."""
