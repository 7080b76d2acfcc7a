"""Sequentialization: an unwound concurrent Program as a Program with one thread, and a Program with one thread as C."""
