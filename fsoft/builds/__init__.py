"""Programs as their build makes them: the calls of compilers and archivers are recorded while it runs, and a program is what its link
command links.

    record = record_build(["make", "prog"])
    found = program_of(record, "")        # the sources, each with the call that compiles it
"""

from fsoft.builds.linking import LinkedProgram, program_of
from fsoft.builds.recording import BuildRecord, record_build

__all__ = ["BuildRecord", "LinkedProgram", "program_of", "record_build"]
