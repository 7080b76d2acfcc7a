"""C text to typed C. The door is `fsoft.frontend.load.load`; `fsoft.frontend.tree` describes what it gives."""
