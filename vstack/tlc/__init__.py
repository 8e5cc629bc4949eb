"""The TLC driver: run the real model checker and say exactly what its answer proves."""
