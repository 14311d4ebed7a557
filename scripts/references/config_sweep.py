#!/usr/bin/env python3
"""Compares `transformeter predict` with Transformers over every key of config.json, for every family.

    config_sweep.py [--families bert llama] [--only KEY] [--all-heads] [--report FILE.jsonl] [--folder FOLDER]
                    [--program PATH] [--worker PATH] [--jobs N] [--limit N]

For each key that a family's configuration class declares, and for keys that published files have without one, it makes
tiny checkpoints with seeded random weights: with other values, without the key, with null. Transformers, in fp32 with
padded batches, and `predict` give the head's answer to each, and embeddings where that answer is text or few numbers:

    agreed      every number is within 1e-5 of the original's, relative where that is above 1, or as near to it in
                float64 as the original in fp32 is, by a factor of 2; words and IDs are equal
    refused     exit code 3
    different   any other answer
    failed      any other exit code
    only ours   an answer where the original raises an error

What both refuse is not counted, nor what cannot be built in the first place.

Prints the counts by family, the most frequent reasons of refusals and what differs, worst first; exits with 1 if
anything is different or failed. The checkpoints that differ stay in --folder.

Values are in config_sweep_values.py, cases in config_sweep_cases.py, checkpoints and the original's answers in
config_sweep_models.py. Not run by the build or by CI: its some 5,300 checkpoints take about 50 minutes with --jobs 2.
scripts/bench_parity runs it in an environment that it makes.
"""

import argparse
import collections
import dataclasses
import json
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import torch
import transformers

import config_sweep_cases as sweep
import config_sweep_models as models

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-5
SMALL = 1e-3  # a difference that may be rounding
REFUSED = 3  # exit code of bad input
COUNTED = ("agreed", "refused", "different", "failed", "only ours")
NUMERIC = ("embedding", "sequence_classification", "masked_lm")  # heads whose answer is all numbers of the output


@dataclasses.dataclass
class Verdict:
    verdict: str
    task: str = ""
    difference: float = 0.0
    message: str = ""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=list(sweep.SIZES), default=list(sweep.SIZES), metavar="FAMILY",
                        help="default: all")
    parser.add_argument("--only", metavar="KEY", help="cases of this key")
    parser.add_argument("--all-heads", action="store_true", help="each case with every head, not with one or two")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="write a JSON line for each case")
    parser.add_argument("--folder", type=pathlib.Path, help="where checkpoints that differ stay; default: a new one")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bin/transformeter", metavar="PATH")
    parser.add_argument("--worker", type=pathlib.Path, metavar="PATH")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at once [1]")
    parser.add_argument("--limit", type=int, metavar="N", help="stop after so many cases of each family")
    return parser.parse_args()


def ask(options, case, folder, task):
    """Exit code, standard error, and the answers in the form of models.Answers."""
    texts = models.texts_of(case, task)
    command = [options.program, "predict", "--model", folder, "--device", "cpu", "--threads", "1", "--batch-size",
               len(texts), "--text", *(text for text, _ in texts)]
    if texts[0][1] is not None:
        command += ["--text-pair", *(second for _, second in texts)]
    # A folder whose class says what it answers is asked as users ask it: without --task.
    if task != case.head or "architectures" in (*case.written, *case.removed):
        command += ["--task", task]
    command += {"question_answering": ["--allow-no-answer"], "masked_lm": ["--top-k", models.TOP],
                "causal_lm": ["--max-new-tokens", models.NEW_TOKENS]}.get(task, [])
    if options.worker:
        command += ["--worker", options.worker]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    rows = [in_one_form(json.loads(line)) for line in done.stdout.splitlines()] if done.returncode == 0 else []
    return done.returncode, done.stderr.strip(), rows


def logarithm(value):
    return math.log(value) if value > 0 else -math.inf


def in_one_form(answer):
    if "entities" in answer:
        return {"entities": [[e["entity"], e["start"], e["end"]] for e in answer["entities"]],
                "scores": [e["score"] for e in answer["entities"]]}
    if "null_score" in answer:
        return {"answer": answer["answer"].strip(), "null_score": answer["null_score"],
                "log_scores": [logarithm(answer["score"])]}
    if "masks" in answer:
        return {"fillings": [{filling["id"]: logarithm(filling["score"]) for filling in mask["fillings"]}
                             for mask in answer["masks"]]}
    if "labels" in answer:
        found = sorted(answer["labels"], key=lambda label: label["id"])
        return {"logits": answer["logits"], "labels": [label.get("label", label["id"]) for label in found],
                "scores": [label["score"] for label in found]}
    if "generated_ids" in answer:
        return {"ids": answer["generated_ids"]}
    return {key: answer[key] for key in ("embedding", "values", "logits", "label", "score") if key in answer}


def distance(theirs, ours):
    """The largest difference of two values of a field: of numbers relative above 1, of words and IDs 0 or 1."""
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return math.inf if any(isinstance(value, float) for value in theirs) else 1.0
        return max(map(distance, theirs, ours), default=0.0)
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        if theirs == ours or (math.isnan(theirs) and math.isnan(ours)):
            return 0.0
        return abs(theirs - ours) / max(1.0, abs(theirs))
    return 0.0 if theirs == ours else 1.0


def distance_of_fillings(theirs, ours):
    """The same of logarithms of probabilities: the original's of all tokens, ours of the likeliest by ID."""
    if [min(len(scores), models.TOP) for scores in theirs] != [len(own) for own in ours]:
        return math.inf
    pairs = [(scores[i], score) for scores, own in zip(theirs, ours) for i, score in own.items()]
    return max((distance(*pair) for pair in pairs if pair[0] > -60), default=0.0)  # below, fp32 cannot tell it from 0


def without_ties(row, own):
    """An answer of question answering without what rounding alone decides."""
    fields = {"answer", "null_score"} if row["is_loose"] else {"answer", "null_score", "log_scores"}
    kept = {key: row[key] for key in fields}
    if own.get("answer") in row["tied"]:
        kept["answer"] = own["answer"]
    return kept, {key: value for key, value in own.items() if key in fields}


def compare(theirs, ours):
    """The largest difference over all texts, and the field that has it."""
    if len(theirs) != len(ours):
        return math.inf, f"{len(ours)} answers for {len(theirs)}"
    worst, where = 0.0, ""
    for number, (row, own) in enumerate(zip(theirs, ours)):
        if "ids" in row and "ids" in own:
            own = {"ids": models.until(own["ids"], set(row["ends"]))}
            row = {"ids": row["ids"]}
        if "tied" in row:
            row, own = without_ties(row, own)
        if row.keys() != own.keys():
            return math.inf, f"text {number}: fields {sorted(own)} for {sorted(row)}"
        for key, value in row.items():
            found = distance_of_fillings(value, own[key]) if key == "fillings" else distance(value, own[key])
            if not found <= worst:
                worst, where = found, f"text {number}: {key} {short(own[key])} for {short(value)}"
    return worst, where


def short(value):
    text = json.dumps(value)
    return text if len(text) < 90 else text[:87] + "…"


def judge(options, case, folder):
    try:
        models.write_checkpoint(case, sweep.sizes(case.family), folder)
    except Exception as error:  # whatever the original raises
        return Verdict("not built", case.head, 0.0, one_line(error))
    try:
        original = models.Original(case, folder)
    except Exception as error:  # as above
        original = error
    if isinstance(original, models.Original) and not original.has_tokens_of(folder / "tokenizer.json"):
        return Verdict("failed", case.head, math.inf, "the tokenizer's class differs from its tokenizer.json")
    # Texts, spans and probabilities of a few labels tell less of a model than vectors do.
    asks_twice = isinstance(original, models.Original) and case.head not in NUMERIC
    tasks = (case.head, "embedding") if asks_twice else (case.head,)
    verdicts = [judge_task(options, case, folder, task, original) for task in tasks]
    order = ("failed", "different", "only ours", "refused", "agreed", "both refuse")
    return min(verdicts, key=lambda v: (order.index(v.verdict), -v.difference))


def judge_task(options, case, folder, task, original):
    theirs, refusal = None, original
    if isinstance(original, models.Original):
        try:
            theirs = original.answers(task)
        except Exception as error:  # as above
            refusal = error
    code, message, ours = ask(options, case, folder, task)
    if code not in (0, REFUSED):
        return Verdict("failed", task, math.inf, f"exit code {code}: {one_line(message)}")
    if theirs is None:
        verdict = "both refuse" if code == REFUSED else "only ours"
        return Verdict(verdict, task, 0.0, f"the original: {type(refusal).__name__}: {one_line(refusal)}")
    if code == REFUSED:
        return Verdict("refused", task, 0.0, one_line(message.replace(f"{folder}/", "").replace(str(folder), "")))
    difference, where = compare(theirs, ours)
    if TOLERANCE < difference < SMALL:
        # Rounding, if the original in fp32 is about as far from itself in float64.
        exact = original.answers(task, torch.float64)
        is_rounding = compare(exact, ours)[0] <= 2 * compare(exact, likeliest(theirs))[0]
        difference = min(difference, TOLERANCE) if is_rounding else difference
    warning = f" (said: {one_line(message)})" if message else ""
    if difference <= TOLERANCE:
        return Verdict("agreed", task, difference, warning.strip())
    return Verdict("different", task, difference, where + warning)


def likeliest(rows):
    """The original's answers in the form of ours."""
    return [{**row, "fillings": [dict(sorted(enumerate(scores), key=lambda pair: -pair[1])[:models.TOP])
                                 for scores in row["fillings"]]} if "fillings" in row else row for row in rows]


def one_line(text):
    return " ".join(str(text).split())[:400]


def run(job):
    """One case in a folder of its own, kept where ours and the original's answers part."""
    options, number, case = job
    started = time.monotonic()
    folder = options.folder / f"{case.family}-{number:04}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    verdict = judge(options, case, folder)
    if verdict.verdict not in ("different", "failed", "only ours"):
        shutil.rmtree(folder)
    return {"family": case.family, "key": case.key, "case": case.name, "head": case.head,
            **dataclasses.asdict(verdict), "folder": folder.name, "seconds": round(time.monotonic() - started, 2)}


def quiet():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    transformers.logging.disable_progress_bar()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["HF_HUB_OFFLINE"] = "1"


def jobs(options):
    for family in options.families:
        found = [case for case in sweep.cases_of(family, options.all_heads)
                 if options.only is None or case.key == options.only]
        for number, case in enumerate(found[:options.limit]):
            yield options, number, case


def names_key(result):
    return result["key"].strip("()") in result["message"] or result["key"] in ("(defaults)", "generation_config.json")


def reason(message):
    """A message without the values in it, so that like refusals count together."""
    text = re.sub(r"^transformeter: ", "", message)
    text = re.sub(r"'[^']*'|\[[^\]]*\]|\{.*\}|\b[0-9]+(\.[0-9]+)?", "…", text)
    return text[:110]


def print_table(results):
    print("| family | checkpoints | " + " | ".join(COUNTED) + " |\n|---|" + "---|" * (len(COUNTED) + 1))
    families = [*dict.fromkeys(result["family"] for result in results), "all"]
    for family in families:
        count = collections.Counter(r["verdict"] for r in results if family in (r["family"], "all"))
        print(f"| {family} | {sum(count[c] for c in COUNTED)} | " + " | ".join(str(count[c]) for c in COUNTED) + " |")
    left = collections.Counter(r["verdict"] for r in results)
    print(f"\nNot counted: {left['both refuse']} that both refuse, {left['not built']} that cannot be built.")


def print_reasons(results):
    refused = [result for result in results if result["verdict"] == "refused"]
    if not refused:
        return
    print("\nThe most frequent reasons of refusals:\n")
    by_reason = collections.defaultdict(list)
    for result in refused:
        by_reason[reason(result["message"])].append(result)
    for text, found in sorted(by_reason.items(), key=lambda pair: -len(pair[1]))[:10]:
        print(f"- {len(found)} × {text} (e.g. {found[0]['family']}: {found[0]['case']})")
    silent = [result for result in refused if not names_key(result)]
    if silent:
        print("\nRefusals that do not name the key:\n")
    for result in silent:
        print(f"- {result['family']}: {result['case']}; {result['task']}: {result['message'][:200]}")


def print_faults(results, folder):
    for verdicts, title in ((("different", "failed"), "Different or failed, worst first"),
                            (("only ours",), "Answered by us alone")):
        found = [result for result in results if result["verdict"] in verdicts]
        if found:
            print(f"\n{title} (in {folder}):\n")
        for result in sorted(found, key=lambda r: -r["difference"]):
            print(f"- {result['folder']}: {result['case']}; {result['task']}: {result['verdict']} "
                  f"{result['difference']:.3g}; {result['message'][:300]}")


def main():
    options = arguments()
    if not options.program.exists():
        sys.exit(f"{options.program} does not exist; build it or name another with --program")
    options.folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="config-sweep-"))
    options.folder.mkdir(parents=True, exist_ok=True)
    quiet()
    results = []
    report = options.report.open("w", encoding="utf-8") if options.report else None
    with multiprocessing.get_context("fork").Pool(options.jobs, initializer=quiet) as pool:
        for result in pool.imap(run, jobs(options)):
            results.append(result)
            if result["verdict"] in ("different", "failed"):
                print(f"{result['verdict']}: {result['family']}: {result['case']}: {result['task']} "
                      f"{result['difference']:.3g}", file=sys.stderr, flush=True)
            if report:
                report.write(json.dumps(result) + "\n")
                report.flush()
    if not results:
        sys.exit(f"no case has the key {options.only}")
    print_table(results)
    print_reasons(results)
    print_faults(results, options.folder)
    return 1 if any(result["verdict"] in ("different", "failed") for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
