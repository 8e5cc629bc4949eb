"""Stage 1, specify: goals drafted, reviewed, approved by a person, and pinned by hash."""
