"""Reports: terminal tables, counterexamples in plain words, one self-contained HTML page."""
