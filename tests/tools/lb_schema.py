# SPDX-License-Identifier: Apache-2.0
"""The rules of vt's schema for LB data files, as a list of what is wrong with one (none: it is valid)."""


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_real(value):
    # 1 is not 1.0 here: vt's reader tells them apart.
    return isinstance(value, float)


def is_of(kind):
    return lambda value: isinstance(value, kind)


def is_list_of(rule):
    return lambda value: isinstance(value, list) and all(rule(item) for item in value)


TEXT = is_of(str)
YES_OR_NO = is_of(bool)
ANY_OBJECT = is_of(dict)
IS_TYPE = {"type": lambda value: value == "LBDatafile"}
PHASE_SET = {"list": is_list_of(is_whole), "range": is_list_of(is_list_of(is_whole))}

# (what must be there, what may be there); a rule is a function, a pair like this one, or a list of one.
ENTITY_PARTS = {"collection_id": is_whole, "index": is_list_of(is_whole), "objgroup_id": is_whole,
                "id": is_whole, "seq_id": is_whole}
TASK_ENTITY = ({"home": is_whole, "type": TEXT, "migratable": YES_OR_NO}, ENTITY_PARTS)
END = ({"type": TEXT}, {**ENTITY_PARTS, "home": is_whole, "migratable": YES_OR_NO})
TASK = ({"entity": TASK_ENTITY, "node": is_whole, "resource": TEXT, "time": is_real},
        {"subphases": [({"id": is_whole, "time": is_real}, {})], "user_defined": ANY_OBJECT,
         "attributes": ANY_OBJECT})
COMMUNICATION = ({"type": TEXT, "from": END, "to": END, "messages": is_whole, "bytes": is_real}, {})
PHASE = ({"id": is_whole, "tasks": [TASK]}, {"communications": [COMMUNICATION], "user_defined": ANY_OBJECT})
METADATA = ({}, {**IS_TYPE, "rank": is_whole, "attributes": ANY_OBJECT,
                 "shared_node": ({key: is_whole for key in ("id", "size", "rank", "num_nodes")}, {}),
                 "phases": ({"skipped": (PHASE_SET, {}), "identical_to_previous": (PHASE_SET, {})},
                            {"count": is_whole})})
FILE = ({"phases": [PHASE]}, {**IS_TYPE, "metadata": METADATA})


def check(value, rule, place):
    if callable(rule):
        return [] if rule(value) else [f"{place}: {value!r}"]
    if isinstance(rule, list):
        if not isinstance(value, list):
            return [f"{place}: no list"]
        return [fault for i, item in enumerate(value) for fault in check(item, rule[0], f"{place}/{i}")]
    must, may = rule
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    faults = [f"{place}: {key} is missing" for key in must if key not in value]
    known = {**must, **may}
    for key, part in value.items():
        faults += check(part, known[key], f"{place}/{key}") if key in known else [f"{place}: unknown {key}"]
    if rule in (TASK_ENTITY, END) and not {"id", "seq_id"} & value.keys():
        faults.append(f"{place}: neither id nor seq_id")
    # Newer versions ask every end whether it is migratable, and then for more than a seq_id.
    if rule in (TASK_ENTITY, END) and value.get("type") == "object":
        if "migratable" not in value:
            faults.append(f"{place}: migratable is missing")
        elif value["migratable"] and "seq_id" in value and "collection_id" not in value:
            faults.append(f"{place}: collection_id is missing")
    return faults


def faults_of(document):
    """The faults of a file, a missing type included, which vt's tools need."""
    faults = check(document, FILE, "")
    if not faults and "type" not in document and "type" not in document.get("metadata", {}):
        faults.append("the type is said nowhere")
    return faults
