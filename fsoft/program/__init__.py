"""THE PROGRAM: its record, its text, its legality, its meaning and the exploration of all its states."""
