"""Stage 3, validate: the matrix, guard removals, mutants and recorded traces."""
