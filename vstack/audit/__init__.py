"""What the rules are: their ids, what each reads, and the cheat that it stands against."""
