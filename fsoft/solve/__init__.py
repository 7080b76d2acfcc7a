"""Solvers behind small interfaces, and where external programs are found."""
