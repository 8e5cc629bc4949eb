"""The red team: ways to make a result green without it being true, each with honest twins, run through the real commands."""
