"""Reads SARIF logs: whether one is valid, and what its fixes come to.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

VERSION = "2.1.0"
LEVELS = {"none", "note", "warning", "error"}
KINDS = {"pass", "fail"}

# What the standard requires, and all that this program writes, by the kind of object.
MEMBERS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "newlineSequences", "originalUriBaseIds", "invocations", "results", "artifacts"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "kind", "level", "locations", "partialFingerprints",
                             "suppressions", "properties", "relatedLocations", "fixes"}),
    "rule": ({"id"}, {"name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration",
                      "properties"}),
    "message": ({"text"}, set()),
    "notification": ({"message"}, {"descriptor", "level", "locations"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": ({"uri", "index"}, {"uriBaseId"}),
    "region": ({"startLine"}, {"startColumn", "endLine", "endColumn"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
}
# The kind of what stands under a name, or of each in the list there.
KIND_OF = {"runs": "run", "results": "result", "rules": "rule", "message": "message",
           "toolExecutionNotifications": "notification", "toolConfigurationNotifications": "notification",
           "physicalLocation": "physicalLocation", "artifactLocation": "artifactLocation", "region": "region",
           "deletedRegion": "region", "fixes": "fix", "replacements": "replacement"}


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
    for name, allowed in ("level", LEVELS), ("version", {VERSION} if kind == "log" else None), \
            ("kind", KINDS if kind == "result" else None):
        if allowed and value.get(name, next(iter(allowed))) not in allowed:
            yield f"{where}: {name} is {value[name]!r}"
    if kind == "region":
        places = [value.get(name, 1) for name in ("startLine", "startColumn", "endLine", "endColumn")]
        if min(places) < 1 or "endLine" in value and tuple(places[2:]) < tuple(places[:2]):
            yield f"{where}: {value} is no region"
    for name, item in value.items():
        if name != "properties":
            yield from problems_of(KIND_OF.get(name), item, f"{where}/{name}")


def problems_of_run(run):
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    told = [descriptor["id"] for descriptor in driver["notifications"]]
    for result in run["results"]:
        where = f"result {result['message']['text']!r}"
        if rules[result["ruleIndex"]] != result["ruleId"]:
            yield f"{where}: ruleIndex and ruleId differ"
        if (result["kind"] == "fail") == (result["level"] == "none"):
            yield f"{where}: {result['kind']} and {result['level']} do not go together"
        ids = [place["id"] for place in result.get("relatedLocations", [])]
        if len(set(ids)) != len(ids):
            yield f"{where}: two related places have one id"
    for invocation in run["invocations"]:
        for notification in (invocation["toolExecutionNotifications"]
                             + invocation["toolConfigurationNotifications"]):
            named = notification["descriptor"]
            if told[named["index"]] != named["id"]:
                yield f"{notification}: index and id differ"
            if notification["level"] == "error" and invocation["executionSuccessful"]:
                yield f"{notification}: an error in a successful run"
    for place in artifact_locations(run):
        listed = run["artifacts"][place["index"]]["location"]
        if listed != place:
            yield f"{place} is listed as {listed}"
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


class Text:
    """A file whose characters are counted as SARIF does, in UTF-16 units."""

    def __init__(self, data):
        text = data.decode("utf-8")
        self.mark = "\ufeff" if text.startswith("\ufeff") else ""
        self.units = text.removeprefix(self.mark).encode("utf-16-le")
        self.starts = [0]
        ending = text.removeprefix(self.mark).replace("\r\n", "\0\n").replace("\r", "\n")
        for number, unit in enumerate(memoryview(ending.encode("utf-16-le")).cast("H")):
            if unit == ord("\n"):
                self.starts.append(number + 1)

    def slice_of(self, region):
        begin = self.starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = self.starts[region["endLine"] - 1] + region["endColumn"] - 1
        return slice(2 * begin, 2 * end)

    def at(self, region):
        return self.units[self.slice_of(region)].decode("utf-16-le")

    def replaced(self, replacements):
        """The bytes of the file after replacements in ascending order."""
        result, done = b"", 0
        for replacement in replacements:
            part = self.slice_of(replacement["deletedRegion"])
            assert done <= part.start <= part.stop, replacement
            text = replacement.get("insertedContent", {}).get("text", "")
            result += self.units[done:part.start] + text.encode("utf-16-le")
            done = part.stop
        result += self.units[done:]
        return (self.mark + result.decode("utf-16-le")).encode("utf-8")


def fixes_of(log):
    """Each fix once; the results of one group of arrays have the same."""
    fixes = {}
    for result in log["runs"][0]["results"]:
        for fix in result.get("fixes", []):
            fixes[json.dumps(fix, sort_keys=True)] = fix
    return list(fixes.values())


def apply_fix(fix, root):
    """Changes the files below the folder `root` that the names are relative to."""
    for change in fix["artifactChanges"]:
        path = root / change["artifactLocation"]["uri"]
        path.write_bytes(Text(path.read_bytes()).replaced(change["replacements"]))
