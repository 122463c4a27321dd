"""Reads SARIF logs: whether one is valid, and what its fixes come to.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = pathlib.Path(__file__).with_name("sarif") / "sarif-schema-2.1.0.json"


def problems(log):
    """What is wrong with the log, by the schema and by what it cannot say."""
    found = []
    if jsonschema:
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        found = [
            f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in jsonschema.Draft4Validator(schema).iter_errors(log)
        ]
    for run in log["runs"]:
        found += problems_of_run(run)
    return found


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
