"""Random calls of library functions, judged by fsoft and by gcc's sanitizers; `python -m tests.fuzz.library_calls`."""
