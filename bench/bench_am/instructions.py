# SPDX-License-Identifier: Apache-2.0
"""What one message costs in instructions, from callgrind's counts of two runs.

Both runs start and end alike, so the difference between them, divided by the difference of their
numbers of messages, is one message. It is attributed by function: what callgrind counts inside a
function, inlined code included, goes to the room whose name the function carries
(roam::transport::..., roam::am::...). The network's part is what its functions execute themselves
and what they call that belongs to no room above it: buffers, queues, memcpy. Calls from the network
up to the messenger (the sink) are the messenger's.
"""
import collections
import re

_NAME = re.compile(r"^c?fn=\((\d+)\)(?: (.*))?$")
_ROOM = re.compile(r"\broam::(am|core|exec|mobile|balance|trace|transport)::")
ABOVE_TRANSPORT = {"am", "exec", "mobile", "balance", "trace", "runtime", "program"}


class Profile:
    """Instructions by function: of its own, and per call from one function to another."""

    def __init__(self):
        self.own = collections.Counter()
        self.calls = collections.Counter()   # (caller, callee): inclusive

    def minus(self, other, divisor):
        result = Profile()
        for mine, theirs, target in ((self.own, other.own, result.own),
                                     (self.calls, other.calls, result.calls)):
            for key in mine.keys() | theirs.keys():
                value = (mine[key] - theirs[key]) / divisor
                if abs(value) >= 0.5:   # start-up, which varies by some instructions
                    target[key] = value
        return result


def read_profile(lines):
    """Reads callgrind's output format, with its compressed names and without its positions."""
    profile, names = Profile(), {}
    function = callee = None
    is_call = False
    for line in lines:
        line = line.rstrip("\n")
        found = _NAME.match(line)
        if found:
            number, name = found.groups()
            if name is not None:
                names[number] = name
            if line.startswith("c"):
                callee = names[number]
            else:
                function = names[number]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1] in "0123456789+-*" and line[:1]:
            cost = int(line.split()[1])
            if is_call:
                profile.calls[function, callee] += cost
            else:
                profile.own[function] += cost
            is_call = False
    return profile


def room(function):
    """The room a function belongs to. Roam's namespaces among a template's arguments do not count:
    they stand behind the first one."""
    name = function.replace("(anonymous namespace)::", "")
    found = _ROOM.search(name)
    if found:
        return found.group(1)
    return "runtime" if "roam::" in name else "program" if "bounce" in name or "bench::" in name \
        else "libraries"


def breakdown(profile):
    """{"total", "transport", "overhead", "rooms", "functions"} of a difference of two profiles."""
    total = sum(profile.own.values())
    rooms = collections.Counter()
    for function, cost in profile.own.items():
        rooms[room(function)] += cost
    for (caller, callee), cost in profile.calls.items():
        if room(caller) == "transport" and room(callee) in ("core", "libraries"):
            rooms["transport"] += cost
            rooms[room(callee)] -= cost
    functions = sorted(((cost, name) for name, cost in profile.own.items()), reverse=True)
    return {"benchmark": "instructions of one message of 8 B to the own rank",
            "total": total, "transport": rooms["transport"],
            "overhead": total - rooms["transport"],
            "rooms": {name: cost for name, cost in rooms.most_common() if cost >= 0.5},
            "functions": [{"instructions": cost, "room": room(name), "name": name}
                          for cost, name in functions if cost >= 1]}
