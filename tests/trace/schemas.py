"""What a valid report file is, as JSON Schemas: the parts of SARIF 2.1.0 and of the YAML witness formats that fsoft writes.

They are stricter than the official ones: a property that is not listed is a mistake here. With FSOFT_SCHEMAS=DIR the tests also use the
official `sarif-schema-2.1.0.json` in that folder (OASIS publishes it; `fsoft.trace.sarif.SCHEMA` is its address).
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}
LINE: Schema = {"type": "integer", "minimum": 1}


def record(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    known = required | (optional or {})
    return {"type": "object", "required": list(required), "properties": known, "additionalProperties": False}


def some(items: Schema, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least}


def one_of(*values: object) -> Schema:
    return {"enum": list(values)}


# ---------------------------------------------------------------- SARIF 2.1.0

MESSAGE = record({"text": TEXT})
ARTIFACT_LOCATION = record({"uri": {"type": "string", "format": "uri-reference"}}, {"uriBaseId": TEXT})
REGION = record({"startLine": LINE}, {"startColumn": LINE, "snippet": MESSAGE})
PHYSICAL = record({"artifactLocation": ARTIFACT_LOCATION}, {"region": REGION})
LOGICAL = record({"name": TEXT, "kind": one_of("function")})
LOCATION = record({"physicalLocation": PHYSICAL}, {"id": COUNT, "logicalLocations": some(LOGICAL), "message": MESSAGE})
STEP = record(
    {"location": LOCATION, "executionOrder": COUNT, "importance": one_of("important", "essential", "unimportant")},
    {
        "nestingLevel": COUNT,
        "kinds": some(one_of("acquire", "release", "lock", "enter", "exit", "function", "call", "danger")) | {"uniqueItems": True},
        "state": {"type": "object", "additionalProperties": MESSAGE},
    },
)
THREAD_FLOW = record({"id": TEXT, "message": MESSAGE, "locations": some(STEP)})
RESULT = record(
    {
        "ruleId": TEXT,
        "ruleIndex": COUNT,
        "kind": one_of("fail"),
        "level": one_of("error"),
        "message": MESSAGE,
        "locations": some(LOCATION),
        "partialFingerprints": {"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    },
    {"relatedLocations": some(LOCATION), "codeFlows": some(record({"message": MESSAGE, "threadFlows": some(THREAD_FLOW)}))},
)
RULE = record(
    {
        "id": TEXT,
        "name": TEXT,
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "defaultConfiguration": record({"level": one_of("error")}),
        "properties": {"type": "object"},
    }
)
INVOCATION = record(
    {"executionSuccessful": {"type": "boolean"}, "exitCode": {"type": "integer"}, "endTimeUtc": {"type": "string", "format": "date-time"}},
    {"commandLine": TEXT, "toolExecutionNotifications": some(record({"level": one_of("warning"), "message": MESSAGE}))},
)
ARTIFACT = record(
    {
        "location": ARTIFACT_LOCATION,
        "roles": some(one_of("analysisTarget")),
        "sourceLanguage": TEXT,
        "hashes": record({"sha-256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
    }
)
DRIVER = record({"name": TEXT, "version": TEXT, "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"}, "rules": some(RULE)})
RUN = record(
    {
        "tool": record({"driver": DRIVER}),
        "invocations": some(INVOCATION),
        "columnKind": one_of("unicodeCodePoints"),
        "artifacts": some(ARTIFACT),
        "results": some(RESULT, 0),
    }
)
SARIF = record({"$schema": TEXT, "version": one_of("2.1.0"), "runs": some(RUN)})

# ---------------------------------------------------------------- YAML witnesses 2.0 and 2.2

UUID = {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"}
PLACE = record({"file_name": TEXT, "line": LINE}, {"column": LINE, "function": TEXT})
THREAD = {"thread_id": COUNT}


def constraint(value: Schema, *formats: str) -> Schema:
    return record({"value": value, "format": one_of(*formats)})


def waypoint(version: str, kind: str, extra: dict[str, Schema]) -> Schema:
    common = {"type": one_of(kind), "action": one_of("follow", "avoid"), "location": PLACE}
    return record(common | extra | (THREAD if version == "2.2" else {}))


def waypoints(version: str) -> Schema:
    result = {"type": "string", "pattern": r"^\\result (==|!=|<=|>=|<|>) -?\d+$"}
    returns = "ext_c_expression" if version == "2.2" else "acsl_expression"
    return {
        "oneOf": [
            waypoint(version, "assumption", {"constraint": constraint(TEXT, "c_expression")}),
            waypoint(version, "function_return", {"constraint": constraint(result, returns)}),
            waypoint(version, "function_enter", {}),
            waypoint(version, "target", {}),
        ]
    }


def metadata(version: str) -> Schema:
    task = record(
        {
            "input_files": some(TEXT),
            "input_file_hashes": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
            "specification": {"type": "string", "pattern": r"^CHECK\( init\(\w+\(\)\), LTL\(.+\) \)"},
            "data_model": one_of("ILP32", "LP64"),
            "language": one_of("C"),
        }
    )
    return record(
        {
            "format_version": one_of(version),
            "uuid": UUID,
            "creation_time": {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
            "producer": record({"name": TEXT, "version": TEXT}, {"configuration": TEXT, "command_line": TEXT, "description": TEXT}),
            "task": task,
        }
    )


def violation(version: str) -> Schema:
    segment = record({"segment": some(record({"waypoint": waypoints(version)}))})
    return some(record({"entry_type": one_of("violation_sequence"), "metadata": metadata(version), "content": some(segment)}))


def correctness(version: str) -> Schema:
    kind = one_of("loop_invariant", "location_invariant")
    invariant = record({"type": kind, "location": PLACE, "value": TEXT, "format": one_of("c_expression")})
    content = some(record({"invariant": invariant}))
    return some(record({"entry_type": one_of("invariant_set"), "metadata": metadata(version), "content": content}))
