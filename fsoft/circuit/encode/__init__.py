"""Program to Model: threads as latches, who may run, what a state violates, and the way home for runs."""
