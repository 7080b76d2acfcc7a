"""What engines have to show for themselves, as files: the model, runs as aigsim reads them, certificates as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fsoft.circuit.bits import BitModel, fingerprint, to_bits
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.circuit.formats.witness import write_stimulus
from fsoft.circuit.model.verdict import Answer, Proved, Unknown, Violated


@dataclass(frozen=True, slots=True)
class Claim:
    """An engine and its answer."""

    engine: str
    answer: Answer

    def says(self) -> str:
        """The answer in words."""
        answer = self.answer
        if isinstance(answer, Violated):
            return f"'{answer.bad}' holds after {answer.depth} steps"
        if isinstance(answer, Proved):
            return "nothing is reachable"
        if answer.bounds:
            return f"the bound '{answer.bounds[0]}' is reachable"
        return "no bad is reachable" if answer.proved else f"no bad is reachable within {answer.depth} steps"


def keep_evidence(bits: BitModel, claims: Sequence[Claim], where: str) -> str:
    """Writes the model and what speaks for each claim to a new folder; a phrase that names it."""
    try:
        folder = _new_folder(os.path.join(where, f"fsoft-evidence-{fingerprint(bits)[:12]}"))
        _write(folder, "model.aig", write_aiger(bits, binary=True))
        for number, claim in enumerate(claims, 1):
            name, text = _evidence(bits, claim)
            _write(folder, f"{number}.{re.sub(r'[^A-Za-z0-9_-]', '_', claim.engine)}.{name}", text.encode())
    except OSError as error:
        return f"the evidence could not be kept: {error.strerror}: {error.filename}"
    return f"the evidence is kept in {folder}"


def _new_folder(path: str) -> str:
    """A folder that was not there before: the path, or the path with a number."""
    number = 1
    while True:
        folder = path if number == 1 else f"{path}-{number}"
        try:
            os.makedirs(folder)
            return folder
        except FileExistsError:
            number += 1


def _write(folder: str, name: str, data: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def _evidence(bits: BitModel, claim: Claim) -> tuple[str, str]:
    """How the file is called, and its text."""
    answer = claim.answer
    if isinstance(answer, Violated):
        return "witness", write_stimulus(bits, to_bits(bits, answer.stimulus), list(bits.targets()).index(answer.bad))
    table: dict[str, object] = {"engine": claim.engine, "says": claim.says()}
    if isinstance(answer, Proved):
        table["certificates"] = [asdict(certificate) for certificate in answer.certificates]
        table["trusted"] = [asdict(trusted) for trusted in answer.trusted]
    if isinstance(answer, Unknown):
        table["depth"], table["bounds"] = answer.depth, answer.bounds
    return "json", json.dumps(table, indent=1) + "\n"
