"""Whether a SARIF log is valid.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

VERSION = "2.1.0"
LEVELS = {"none", "note", "warning", "error"}

# What the standard requires, and all that this program writes, by the kind of object.
MEMBERS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"originalUriBaseIds", "invocations", "results"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations"}),
    "rule": ({"id"}, {"shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration"}),
    "message": ({"text"}, set()),
    "notification": ({"message"}, {"level", "locations"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": ({"uri"}, {"uriBaseId"}),
    "region": ({"startLine"}, set()),
}
# The kind of what stands under a name, or of each in the list there.
KIND_OF = {"runs": "run", "results": "result", "rules": "rule", "message": "message",
           "toolExecutionNotifications": "notification",
           "physicalLocation": "physicalLocation", "artifactLocation": "artifactLocation", "region": "region"}


def problems(log):
    """What is wrong with the log, by the standard and by what it cannot say."""
    found = list(problems_of("log", log, ""))
    if not found:
        for run in log["runs"]:
            found += problems_of_run(run)
    return found


def problems_of(kind, value, where):
    """Members that are missing or unknown, and values that none of them may have."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from problems_of(kind, item, f"{where}/{number}")
    if not isinstance(value, dict):
        return
    if kind:
        needed, other = MEMBERS[kind]
        yield from (f"{where}: no {name}" for name in sorted(needed - set(value)))
        yield from (f"{where}: {name} is unknown" for name in sorted(set(value) - needed - other))
    for name, allowed in ("level", LEVELS), ("version", {VERSION} if kind == "log" else None):
        if allowed and value.get(name, next(iter(allowed))) not in allowed:
            yield f"{where}: {name} is {value[name]!r}"
    if kind == "region" and value["startLine"] < 1:
        yield f"{where}: {value} is no region"
    for name, item in value.items():
        yield from problems_of(KIND_OF.get(name), item, f"{where}/{name}")


def problems_of_run(run):
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        where = f"result {result['message']['text']!r}"
        if rules[result["ruleIndex"]] != result["ruleId"]:
            yield f"{where}: ruleIndex and ruleId differ"
    for invocation in run["invocations"]:
        for notification in invocation["toolExecutionNotifications"]:
            if notification["level"] == "error" and invocation["executionSuccessful"]:
                yield f"{notification}: an error in a successful run"
    for place in artifact_locations(run):
        if place["uri"].startswith("file:") == ("uriBaseId" in place):
            yield f"{place} is neither relative nor absolute"


def artifact_locations(value):
    """All of them, wherever they stand in the value."""
    if isinstance(value, list):
        for item in value:
            yield from artifact_locations(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == "artifactLocation":
                yield item
            else:
                yield from artifact_locations(item)
