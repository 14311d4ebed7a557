"""Times the commands that read and move results on a store of 10,000 cases with 1,000 samples each.

Measured cases come from the fake worker, so that their documents and series are as real ones; they are repeated under other
names into an export, which `transformeter import` makes a store of. Prints a Markdown table of seconds, MB/s and the
peak of resident memory (GNU time). Usage: bench_reading.py [--cases N] [--samples N] [--runs N] [--folder DIR]
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/bin/transformeter"
WORKER = ROOT / "build/bin/transformeter-fake-worker"


def make_template(folder, samples):
    """One measured case: the lines of its run, case and replicate."""
    store = folder / "template.db"
    subprocess.run([PROGRAM, "run", "--model", "bert-test", "--batch-size", "8", "--sequence-length", "16",
                    "--precision", "fp32", "--samples", str(samples), "--warmup", "2", "--slices", "1", "--store", store],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "TRANSFORMETER_WORKER": str(WORKER)})
    text = subprocess.run([PROGRAM, "export", "--store", store, "-o", "-"], check=True, capture_output=True,
                          text=True).stdout
    return text.splitlines()[1:4]


def write_export(path, template, cases, runs):
    run, case, replicate = (json.loads(line) for line in template)
    series = json.dumps(replicate["replicate"].pop("series"), separators=(",", ":"))
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"format":"transformeter-export","schema_version":1}\n')
        for number in range(runs):
            name = f"20261121-000000-{number:06x}"
            run["run"]["id"] = name
            out.write(json.dumps(run) + "\n")
            for place in range(cases // runs):
                identity = f"c{place:05d}"
                case["case"].update(run=name, id=identity, position=place, plan_key=f"{number:032x}{place:032x}",
                                    key=f"{place:064x}")
                case["case"]["requested"].update(batch_size=1 + place % 100, sequence_length=16 + place // 100)
                replicate["replicate"].update(run=name, case=identity)
                head = json.dumps(replicate)
                out.write(json.dumps(case) + "\n" + head[:-2] + ',"series":' + series + "}}\n")
        out.write(json.dumps({"end": {"runs": runs, "cases": cases // runs * runs,
                                      "replicates": cases // runs * runs}}) + "\n")


def measure(name, arguments, output, size_of):
    with open(output, "wb") as out:
        done = subprocess.run(["/usr/bin/time", "-v", PROGRAM, *map(str, arguments)], stdout=out,
                              stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{name}: {done.stderr}")
    clock = re.search(r"Elapsed .*: ([\d:.]+)", done.stderr).group(1).split(":")
    seconds = sum(float(part) * 60**power for power, part in enumerate(reversed(clock)))
    resident = int(re.search(r"Maximum resident set size .*: (\d+)", done.stderr).group(1)) / 1024
    megabytes = size_of() / 1e6
    rate = f"{megabytes / seconds:.0f}" if seconds > 0 else "-"
    print(f"| {name} | {seconds:.2f} | {megabytes:.1f} | {rate} | {resident:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--folder", help="where to keep the files; default: a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        export, store, output = folder / "big.jsonl", folder / "big.db", folder / "output"
        again = folder / "again.jsonl"
        for old in folder.glob("*.db*"):
            old.unlink()
        write_export(export, make_template(folder, options.samples), options.cases, options.runs)
        print("| command | seconds | MB moved | MB/s | peak RSS, MiB |\n|---|---|---|---|---|")

        def size(path):
            return lambda: path.stat().st_size

        measure("import", ["import", export, "--store", store], output, size(export))
        measure("runs", ["runs", "--store", store], output, size(output))
        measure("show", ["show", "--store", store], output, size(output))
        for form in ("json", "jsonl", "csv"):
            measure(f"show --all --format {form}", ["show", "--all", "--format", form, "--store", store], output,
                    size(output))
        measure("export", ["export", "--store", store, "-o", again], output, size(again))
        measure("export --format csv", ["export", "--format", "csv", "--store", store, "-o", folder / "csv"], output,
                size(folder / "csv/samples.csv"))
        measure("merge", ["merge", folder / "merged.db", store], output, size(store))


if __name__ == "__main__":
    main()
