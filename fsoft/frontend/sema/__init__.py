"""Semantic analysis: pycparser's tree to typed C. The door is `analyzer.Analyzer`."""
