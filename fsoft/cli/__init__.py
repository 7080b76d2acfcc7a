"""The command line: one file per command, imported only when the command is asked for."""
