"""Compares transformeter-worker with other engines: same machine, weights and inputs, arms interleaved.

Each arm is a process of its own that sleeps until its turn; a round gives every arm one block, in a balanced random
order. A ratio is exp of the mean of the rounds' log-ratios of time, ours ÷ theirs, with a 95 % t interval: below 1 ours
is faster. Outputs, and of trainings the first losses, are held to Hugging Face's in fp32 with eager attention; an arm
beyond its precision's tolerance is shown as wrong.
"""
from __future__ import annotations

import argparse
import os
import pathlib

from peers import arms, engines, measure, our_training, ours, report, workloads

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = """examples:
  make bench-peers
  make bench-peers WORKLOADS=distilbert-b1,distilbert-b32 PRECISIONS=fp32,int8 ROUNDS=4
  make bench-peers PEERS=openvino,hf-sdpa:glibc_raised OURS=ours-fast
  make bench-peers WORKLOADS=train-sst2,train-qa,train-sst2-natural
"""


def _names(text: str) -> list[str]:
    return [name for name in text.replace(" ", ",").split(",") if name]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench_peers", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="workloads, peers and what each peer cannot do")
    parser.add_argument("--workloads", type=_names, default=[], help="names, comma-separated; default: all")
    parser.add_argument("--peers", type=_names, default=[], help="NAME or NAME:ALLOCATOR; default: "
                        + ",".join(arms.DEFAULT_PEERS))
    parser.add_argument("--ours", type=_names, default=[], help="arms of our worker; default: all it can run")
    parser.add_argument("--precisions", type=_names, default=[], help="default: those of each workload")
    parser.add_argument("--rounds", type=int, default=8, help="blocks per arm (default 8)")
    parser.add_argument("--reruns", type=int, help="number of disturbed rounds to repeat (default: as many as rounds)")
    parser.add_argument("--block", type=float, default=0.5, help="seconds per block, at least one pass (default 0.5)")
    parser.add_argument("--disturbed-above", type=float, default=0.05,
                        help="CPUs that other processes or idle arms may keep busy in a block (default 0.05)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--worker", type=pathlib.Path, default=ROOT / "build/bin/transformeter-worker")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data", help="folder of public data")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/peers",
                        help="checkpoints, inputs and converted models, kept for the next time (several GB)")
    parser.add_argument("--layers", type=int,
                        help="truncate all models to this many layers, for a quick trial with meaningless results")
    parser.add_argument("--output", type=pathlib.Path, help="PREFIX of .md and .json (default FOLDER/bench-peers)")
    return parser


def _list() -> None:
    print("workloads")
    for workload in workloads.WORKLOADS:
        print(f"  {workload.name:18} {workload.title} ({', '.join(workload.precisions)})")
    print("peers")
    for name, engine in engines.all_engines().items():
        versions = ", ".join(f"{package} {version}" for package, version in engine.versions().items())
        print(f"  {name:17} {engine.missing() or versions}")
        reasons: dict[str, list[str]] = {}
        for workload in workloads.WORKLOADS:
            for precision in workload.precisions:
                if engine.trains == workload.is_training and (reason := engine.why_not(workload, precision)):
                    reasons.setdefault(reason, []).append(f"{workload.name} {precision}")
        for reason, points in reasons.items():
            print(f"    not {', '.join(points)}: {reason}")
    print("ours")
    for one in ours.OUR_ARMS + our_training.ARMS:
        settings = ", ".join(f"{name} {value}" for name, value in one.settings.items()) or "the worker's defaults"
        print(f"  {one.name:19} {settings}; {one.allocator}; {', '.join(one.precisions.values())}")


def _check(options: argparse.Namespace) -> None:
    if not options.worker.exists():
        raise SystemExit(f"bench_peers: no worker at '{options.worker}'; build it with 'make programs', or set "
                         f"it with --worker")
    for file in ("sst2/dev.tsv", "sst2/train.tsv", "squad/dev-v1.1.json"):
        if not (options.data / file).exists():
            raise SystemExit(f"bench_peers: '{options.data}' has no {file}; set the folder of public data with --data")
    for name in ("rounds", "threads", "layers"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise SystemExit(f"bench_peers: --{name} {value} is not valid; expected at least 1")


def _points(options: argparse.Namespace) -> list[tuple[workloads.Workload, str]]:
    known = {workload.name: workload for workload in workloads.WORKLOADS}
    precisions = workloads.chosen(options.precisions, dict.fromkeys(workloads.ALL_PRECISIONS), "precision")
    points = [(known[name], precision) for name in workloads.chosen(options.workloads, known, "workload")
              for precision in known[name].precisions if precision in precisions]
    if not points:
        raise SystemExit("bench_peers: no workload has any of these precisions; --list shows them")
    return points


def main() -> None:
    options = _parser().parse_args()
    if options.list:
        _list()
        return
    _check(options)
    folder = options.folder.resolve()
    if options.layers:
        folder /= f"layers-{options.layers}"
    site = arms.Site(folder, options.data.resolve(), options.worker.resolve(), options.threads, options.layers)
    reruns = options.rounds if options.reruns is None else options.reruns
    rules = measure.Options(options.rounds, reruns, options.block, options.disturbed_above,
                            tell=lambda text: print(text, flush=True))
    all_arms = arms.our_arms(options.ours) + arms.peer_arms(options.peers)
    about = report.about(options.threads) | {"layers": options.layers}
    done = []
    for workload, precision in _points(options):
        print(f"\n{workload.title}, {precision}", flush=True)
        comparison = measure.Measurement(site, workload, precision, rules).run(all_arms)
        done.append(comparison)
        print("\n".join(["", *report.section(comparison, report.plain_table), *report.notes(comparison)]), flush=True)
        paths = report.write(done, about, options.output or site.folder / "bench-peers")
    print("\nwritten: " + ", ".join(map(str, paths)))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
