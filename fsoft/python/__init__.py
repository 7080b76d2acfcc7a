"""The Python door: `fsoft.load` and what it gives."""
