"""Engines: each takes a Program or a Model and answers with a Verdict. `registry` knows them by name."""
