"""Bounded encodings: an unwound Program becomes one formula, a Model without states."""
