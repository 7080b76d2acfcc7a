"""Unwound Programs as Models without states: guarded SSA of threads, and the ways to let them meet."""
