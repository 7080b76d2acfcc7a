"""Models as files: AIGER, BTOR2, SMV, SMT-LIB 2, and the stimuli of other tools."""
