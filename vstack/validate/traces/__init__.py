"""Recorded traces replayed through the model: log, mapping, generated module, verdict and controls."""
