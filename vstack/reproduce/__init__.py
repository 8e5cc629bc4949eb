"""Drive counterexamples through the real code, and record what it did."""
