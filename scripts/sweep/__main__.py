"""Compares a sweep of six DistilBERT cases with optimum-benchmark's, on this machine's processors in fp32.

A repetition runs the sweep with both programs, each with its defaults, and takes turns in which goes first. Wall time is
from start to end of the process. Of ours the interval of the median latency is as stated; of optimum-benchmark, which
states none, it is made of the raw samples. A 95 % interval should hold the grand median, the median of all repetitions'
medians, in at least nine of ten repetitions.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

from sweep import programs, report

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = """examples:
  make bench-sweep
  make bench-sweep REPETITIONS=1
  scripts/bench_sweep --output /tmp/sweep -- --slices 8    options after -- are for transformeter run
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench_sweep", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=10, help="sweeps of each program (default 10)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="threads of both programs (default: all processors of this process)")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build/bin",
                        help="folder of transformeter (default build/bin)")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/sweep",
                        help="folder of tables and raw results; must not hold any yet (default build/sweep)")
    parser.add_argument("run_options", nargs="*", help="further options for transformeter run, after --")
    return parser


def _check(options: argparse.Namespace) -> None:
    if not (options.binaries / "transformeter").exists():
        raise SystemExit(f"bench_sweep: no transformeter in '{options.binaries}'; build it with 'make programs', or set "
                         f"the folder with --binaries")
    for name in ("repetitions", "threads"):
        if getattr(options, name) < 1:
            raise SystemExit(f"bench_sweep: --{name} {getattr(options, name)} is not valid; expected at least 1")
    if any(options.output.glob("repetition-*")):
        raise SystemExit(f"bench_sweep: '{options.output}' holds results already; remove them, or set another folder "
                         f"with --output")


def _repeat(number: int, site: programs.Site, output: pathlib.Path) -> report.Repetition:
    """Ours goes first in every other repetition, beginning with the first."""
    folder = output / f"repetition-{number + 1:02}"
    ours_first = number % 2 == 0
    if ours_first:
        ours = programs.run_ours(site, folder / "transformeter")
    theirs = programs.run_theirs(site, folder / "optimum-benchmark")
    if not ours_first:
        ours = programs.run_ours(site, folder / "transformeter")
    for program in ("transformeter", "optimum-benchmark"):
        shutil.rmtree(folder / program / "cache", ignore_errors=True)
    return report.Repetition(ours_first, ours, theirs)


def main() -> None:
    options = _parser().parse_args()
    _check(options)
    output = options.output.resolve()
    site = programs.Site(options.binaries.resolve(), pathlib.Path(sys.executable), output / "distilbert-base",
                         options.threads, tuple(options.run_options))
    version = subprocess.run([site.binaries / "transformeter", "--version"], check=True, capture_output=True, text=True)
    try:
        their = programs.prepare(site, output)
        about = {"date": time.strftime("%Y-%m-%d"), "our_version": version.stdout.splitlines()[0],
                 "kernel": os.uname().release, "threads": site.threads, "their_threads": their["threads"],
                 "versions": their["versions"], "run_options": list(site.run_options),
                 "load_at_start": os.getloadavg()[0]}
        done: list[report.Repetition] = []
        for number in range(options.repetitions):
            one = _repeat(number, site, output)
            done.append(one)
            print(f"repetition {number + 1}: ours {one.ours.wall_s:.1f} s, theirs {one.theirs.wall_s:.1f} s, ratio "
                  f"{one.ratio:.2f}", flush=True)
            report.write(done, about, output)
    except programs.Failed as failure:
        raise SystemExit(f"bench_sweep: {failure}") from None
    print(f"\n{report.text(done, about)}\nwritten: {output / 'sweep.md'}, {output / 'sweep.json'}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
