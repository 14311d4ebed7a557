"""Which groups of calls take most of a profiled pass, and what bounds each, by docs/profile.md from the stored document."""
import check_results
from quantities import number, quantity, rate

SHOWN = 3
LEAST_SHARE = 0.5  # of the time: a limit that explains less does not bound it
SHORT_CALL_S = 10e-6
AMOUNTS = ("calls", "self_s", "flops", "bytes", "host_s")


def limits(effective):
    """(rates of the peaks that count, by kind; why others do not). One that was measured beside other work is no limit."""
    known, reasons = {}, []
    for kind in ("gemm", "read_bandwidth"):
        peak = effective["peaks"][kind]
        load = peak.get("foreign_load") or 0
        if peak.get("value") is None:
            reasons.append(peak["reason"])
        elif load > check_results.MAX_FOREIGN_LOAD:
            reasons.append(f"{peak['quantity']} was measured while background load kept {load:.2f} CPUs busy; run "
                           "`transformeter peaks --force` on a quiet machine")
        else:
            known[kind] = peak["value"]
    return known, list(dict.fromkeys(reasons))


def place_of(nodes, index):
    """"STAGE of MODULE, OPERATOR", without what there is none of; the layers of a module are one."""
    found = {}
    above = index
    while above > 0:
        found.setdefault(nodes[above]["kind"], nodes[above]["name"])
        above = nodes[above]["parent"]
    module = ".".join("*" if part.isdigit() else part for part in found.get("module", "").split("."))
    where = " of ".join(name for name in (found.get("stage"), module) if name)
    return ", ".join(name for name in (where, nodes[index]["name"]) if name)


def largest(document):
    """{place: amounts of a pass} of the groups that take most of it, the longest first."""
    nodes, groups = document["nodes"], {}
    for index, node in enumerate(nodes):
        if node["kind"] == "operator":
            group = groups.setdefault(place_of(nodes, index), dict.fromkeys(AMOUNTS, 0))
            for name in AMOUNTS:
                group[name] += node[name] / document["passes"]
    longest = sorted(groups, key=lambda place: groups[place]["self_s"], reverse=True)
    return {place: groups[place] for place in longest[:SHOWN]}


def bound_of(group, known, document):
    """(bound, sentence). But for a cache, all limits of the group's work have to be known, and the profile's work."""
    own, on_gpu = group["self_s"], document["gpu"] is not None
    judged = (any(node["flops"] > 0 or node["bytes"] > 0 for node in document["nodes"])
              and ("gemm" in known or not group["flops"]) and ("read_bandwidth" in known or not group["bytes"]))
    compute = group["flops"] / known["gemm"] if "gemm" in known else 0
    memory = group["bytes"] / known["read_bandwidth"] if "read_bandwidth" in known else 0
    longer = max(compute, memory)
    if judged and longer >= LEAST_SHARE * own and compute >= memory:
        achieved, peak = rate(group["flops"] / own, "FLOP/s"), rate(known["gemm"], "FLOP/s")
        if compute > own:
            return "compute", f"Bound by compute: {achieved}, above the measured peak of {peak}, which is too low."
        return "compute", f"Bound by compute: {achieved} of {peak}; at that limit it would take {quantity(compute, 's')}."
    if memory > own:
        return "cache", "It reads and writes faster than memory can: its data lies in a cache."
    if judged and longer >= LEAST_SHARE * own:
        achieved, peak = rate(group["bytes"] / own, "B/s"), rate(known["read_bandwidth"], "B/s")
        return "memory", f"Bound by memory: {achieved} of {peak}; at that limit it would take {quantity(memory, 's')}."
    if judged and on_gpu and group["host_s"] > own:
        return "overhead", f"Bound by launch overhead: the host takes {quantity(group['host_s'], 's')} to launch it."
    if judged and not on_gpu and own / group["calls"] < SHORT_CALL_S:
        return "overhead", f"Bound by launch overhead: {quantity(own / group['calls'], 's')} per call."
    if judged and compute > 0 and memory > 0:
        return "other", f"Far from the limits of compute and memory, at which it would take {quantity(longer, 's')}."
    return "unknown", "What bounds it is not known."


def bounds(stored):
    """Those of the groups of `largest`, in its order."""
    document, (known, _) = stored["document"], limits(stored["effective"])
    return [bound_of(group, known, document)[0] for group in largest(document).values()]


def expected(stored, place):
    """What the sentence about that place has to say. KeyError: others take longer, or there is none."""
    document, (known, _) = stored["document"], limits(stored["effective"])
    group, whole = largest(document)[place], document["nodes"][0]["total_s"] / document["passes"]
    calls = group["calls"]
    return {"own": quantity(group["self_s"], "s"), "whole": quantity(whole, "s"),
            "percent": f"{100 * group['self_s'] / whole:.0f}",
            "calls": f"{number(calls) if calls % 1 else int(calls)} call{'' if calls == 1 else 's'}",
            "bound": bound_of(group, known, document)[1]}
