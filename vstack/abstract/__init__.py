"""Stage 2, abstract: every action of a model anchored to `repo:path:first-last@commit`."""
