"""Partial-order reduction by conditional stubborn sets: what is touched, conflicts, closure, who is enough to be scheduled."""
