"""Tables and files of what was seen."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import time

from peers.estimates import Ratio
from peers.measure import ArmResult, Comparison
from peers.workloads import Measure


def processor() -> dict[str, object]:
    """Model and those instruction sets that the precisions of the tables go by."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    first: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        first.setdefault(name.strip(), value.strip())
    flags = set(first.get("flags", "").split())
    wanted = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_int8")
    return {"model": first.get("model name", "unknown"), "cpus": os.cpu_count(),
            "instructions": [flag for flag in wanted if flag in flags]}


def native_note(precision: str, instructions: list[str]) -> str | None:
    """What a reader must know of a precision on this processor."""
    if precision in ("bf16", "bf16_autocast") and "amx_bf16" not in instructions:
        how = "by avx512_bf16, without AMX" if "avx512_bf16" in instructions else "emulated"
        return f"bf16 is not this processor's own strength: {how}; its products may be slower than fp32's."
    if precision == "int8" and "avx512_vnni" not in instructions and "amx_int8" not in instructions:
        return "int8 is emulated on this processor: it has no VNNI."
    return None


def ratio_text(ratio: Ratio) -> str:
    if ratio.low is None:
        return f"{ratio.estimate:.3f}"
    return f"{ratio.estimate:.3f} ({ratio.low:.3f}–{ratio.high:.3f})"


def _check_text(result: ArmResult) -> str:
    if result.check is None:
        return "not compared"
    return f"{result.check.divergence:.1e}{' WRONG' if result.check.is_wrong else ''}"


def _memory_text(result: ArmResult) -> str:
    return "–" if result.peak_rss_bytes is None else f"{result.peak_rss_bytes / 2**30:.2f}"


def _row(comparison: Comparison, result: ArmResult, ours: list[ArmResult], measure: Measure) -> list[str]:
    value = f"{measure.shown(result.median_s(measure.name)):.4g}"
    cells = [result.arm.name, "wrong" if result.is_wrong else value, _check_text(result)]
    if comparison.workload.is_training:
        cells.append(_memory_text(result))
    for one in ours:
        is_pair = one is not result and not one.is_wrong and not result.is_wrong
        cells.append(ratio_text(comparison.ratio(one, result, measure.name)) if is_pair else "–")
    return cells


def rows(comparison: Comparison, measure: Measure) -> list[list[str]]:
    """The header and a row for each measured arm. A ratio is the time of ours ÷ that of the row's arm."""
    measured = [result for result in comparison.arms if result.is_measured]
    ours = [result for result in measured if result.arm.is_ours]
    header = ["arm", f"{measure.name}, median {measure.unit}", "divergence"]
    header += ["peak RSS, GiB"] if comparison.workload.is_training else []
    header += [f"{one.arm.name} ÷ it (95 %)" for one in ours]
    return [header, *(_row(comparison, result, ours, measure) for result in measured)]


def markdown_table(table: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return [lines[0], "|" + "---|" * len(table[0]), *lines[1:]]


def plain_table(table: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]


def notes(comparison: Comparison) -> list[str]:
    """What stands below a table: skipped arms with the reason, disturbance."""
    lines = [f"{result.arm.name}: skipped: {result.skipped}" for result in comparison.arms if result.skipped]
    blocks = [block for round_ in comparison.disturbances for block in round_]
    text = f"{len(comparison.disturbances) or len(comparison.arms[0].rounds)} rounds"
    if blocks:
        text += (f"; others kept {max(block.foreign_cpus for block in blocks):.2f} processors busy at most, idle arms "
                 f"{max(block.idle_arm_cpus for block in blocks):.2f}, load {max(block.load for block in blocks):.2f}")
    if comparison.rerun_rounds:
        text += f"; {comparison.rerun_rounds} disturbed rounds were measured again"
    if comparison.disturbed_rounds:
        text += f"; {comparison.disturbed_rounds} rounds in the table are DISTURBED"
    native = native_note(comparison.precision, processor()["instructions"])
    return [*lines, text, *([native] if native else [])]


def section(comparison: Comparison, layout) -> list[str]:
    """A title, a table for each measure, and the notes."""
    lines = []
    for measure in comparison.workload.measures:
        lines += [*layout(rows(comparison, measure)), ""]
    return lines


def _arm_json(result: ArmResult) -> dict:
    return {"name": result.arm.name, "allocator": result.arm.allocator, "skipped": result.skipped,
            "versions": result.versions, "settings": result.settings, "first_result_s": result.first_result_s,
            "peak_rss_bytes": result.peak_rss_bytes,
            "check": dataclasses.asdict(result.check) if result.check else None,
            "rounds_s": result.rounds, "passes_s": result.passes}


def _comparison_json(comparison: Comparison) -> dict:
    measured = [result for result in comparison.arms if result.is_measured and not result.is_wrong]
    ratios = [{"ours": one.arm.name, "peer": other.arm.name, "measure": measure.name,
               **dataclasses.asdict(comparison.ratio(one, other, measure.name))}
              for one in measured if one.arm.is_ours for other in measured if other is not one
              for measure in comparison.workload.measures]
    return {"workload": dataclasses.asdict(comparison.workload), "precision": comparison.precision,
            "arms": [_arm_json(result) for result in comparison.arms], "ratios": ratios,
            "rerun_rounds": comparison.rerun_rounds, "disturbed_rounds": comparison.disturbed_rounds,
            "disturbances": [[dataclasses.asdict(block) for block in one] for one in comparison.disturbances]}


def write(comparisons: list[Comparison], about: dict, prefix: pathlib.Path) -> list[pathlib.Path]:
    """PREFIX.md and PREFIX.json, replaced when they are complete."""
    lines = [f"Peers on {about['processor']['model']} ({', '.join(about['processor']['instructions'])}), "
             f"{about['threads']} threads, {about['date']}. A ratio is the time of ours ÷ the time of the row's arm.", ""]
    if about["layers"]:
        lines += [f"A TRIAL: all models are cut to {about['layers']} layers.", ""]
    for comparison in comparisons:
        lines += [f"### {comparison.workload.title}, {comparison.precision}", ""]
        lines += [*section(comparison, markdown_table), *(f"- {note}" for note in notes(comparison)), ""]
    versions = {name: version for one in comparisons for arm in one.arms for name, version in arm.versions.items()}
    lines += ["Versions: " + ", ".join(f"{name} {version}" for name, version in sorted(versions.items())) + "."]
    document = {**about, "versions": versions, "comparisons": [_comparison_json(one) for one in comparisons]}
    prefix.parent.mkdir(parents=True, exist_ok=True)
    texts = {".md": "\n".join(lines) + "\n", ".json": json.dumps(document, indent=1) + "\n"}
    paths = []
    for suffix, text in texts.items():
        path = prefix.with_name(prefix.name + suffix)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
        paths.append(path)
    return paths


def about(threads: int) -> dict:
    """The head of both files."""
    return {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "threads": threads,
            "kernel": os.uname().release, "load_at_start": os.getloadavg()[0]}
