"""fsoft for BenchExec: the tool-info module (https://github.com/sosy-lab/benchexec).

    <benchmark tool="fsoft.benchexec"> ... </benchmark>

with fsoft where BenchExec's Python finds it (installed, or on PYTHONPATH), and the executable on PATH or in `--tool-directory`. Nothing
else in fsoft imports this module, and fsoft does not need BenchExec. `benchmarks/svcomp.xml` is a benchmark definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from benchexec import result
from benchexec.tools.sv_benchmarks_util import get_data_model_from_task
from benchexec.tools.template import BaseTool2

_ANSWER = re.compile(r"FALSE\(([\w-]+)\)|TRUE|UNKNOWN")
_ERRORS = {1: "usage", 2: "input", 6: "internal error"}
_TIMEOUT = 31


class Tool(BaseTool2):  # type: ignore[misc]  # BenchExec has no types
    """fsoft, a verifier for concurrent C."""

    def name(self) -> str:
        return "fsoft"

    def executable(self, tool_locator: BaseTool2.ToolLocator) -> str:
        return str(tool_locator.find_executable("fsoft", subdir="bin"))

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="fsoft "))

    def program_files(self, executable: str) -> Iterable[str]:
        return [executable]

    def cmdline(self, executable: str, options: Sequence[str], task: Any, rlimits: Any) -> list[str]:
        asked = ["--property", task.property_file] if task.property_file else []
        model = get_data_model_from_task(task, {"ILP32": "--32", "LP64": "--64"})
        return [executable, "check", *options, *asked, *([model] if model else []), *task.input_files_or_identifier]

    def determine_result(self, run: Any) -> str:
        """The last line that is an answer counts; without one, the exit code says what happened."""
        answers = [match for line in run.output if (match := _ANSWER.fullmatch(line.strip()))]
        code = run.exit_code.value
        if code in _ERRORS:
            return f"{result.RESULT_ERROR} ({_ERRORS[code]})"
        if not answers:
            return str(result.RESULT_TIMEOUT if code == _TIMEOUT else result.RESULT_ERROR)
        last = answers[-1]
        if last[1]:
            return f"{result.RESULT_FALSE_PROP}({last[1]})"
        if last[0] == "TRUE":
            return str(result.RESULT_TRUE_PROP)
        return str(result.RESULT_TIMEOUT if code == _TIMEOUT else result.RESULT_UNKNOWN)

    def get_value_from_output(self, output: Sequence[str], identifier: str) -> str | None:
        """The number before a word of the statistics, as `states`, `transitions` or `depth`."""
        number = re.compile(rf"([\d,.]+) {re.escape(identifier)}\b|\b{re.escape(identifier)} ([\d,.]+)")
        found = [match[1] or match[2] for line in output for match in number.finditer(line)]
        return found[-1].replace(",", "") if found else None
