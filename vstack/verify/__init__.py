"""Stage 4, verify: the engines that decide goals."""
