"""Processes: what is handed to foreign programs, and the fence around them."""
