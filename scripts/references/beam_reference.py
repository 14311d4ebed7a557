#!/usr/bin/env python3
"""Writes what beam search of Transformers finds with tiny models.

    beam_reference.py [NAME…]          tests/data/models/NAME/beams.json

The folders must be there (t5_reference.py, family_reference.py). Inputs are the rows of a padded batch of
reference.safetensors, each by itself, since rules of Transformers see padding as words. Each case has the settings of `generate()` and of each
row the best text (new tokens, the one that ended it included) and its score. Every text is the same in float64, so that
rounding decides none. Not run by the build or by CI: the files it writes are committed. It needs the virtual environment
that model_reference.py describes.
"""

import itertools
import json

import torch
import transformers as t
from safetensors.torch import load_file

from model_reference import OUTPUT, versions
from vision_reference import write_named

# folder: class, batch, tokens that end a text (of those that random weights find likely, so that some do)
MODELS = {
    "tiny-t5": (t.T5ForConditionalGeneration, "right", [22, 30, 48]),
    "tiny-t5-relu": (t.T5ForConditionalGeneration, "right", [7, 17, 38]),
    "tiny-gpt2": (t.GPT2LMHeadModel, "left", [5, 8, 52]),
}
NEW_TOKENS = 10
STOPPING = {"off": False, "on": True, "never": "never"}
RULES = [{"no_repeat_ngram_size": 2}, {"repetition_penalty": 1.3, "renormalize_logits": True}, {"min_new_tokens": 8}]


def cases(ends):
    for beams, penalty, stopping in itertools.product([2, 4], [0.6, 1.0, 2.0], STOPPING):
        yield dict(num_beams=beams, length_penalty=penalty, early_stopping=stopping, ends=ends, rules={})
    yield dict(num_beams=3, length_penalty=-1.0, early_stopping="off", ends=ends, rules={})
    yield dict(num_beams=4, length_penalty=0.0, early_stopping="never", ends=ends, rules={})
    yield dict(num_beams=4, length_penalty=1.0, early_stopping="off", ends=[], rules={})
    for rules in RULES:
        yield dict(num_beams=4, length_penalty=1.0, early_stopping="off", ends=ends, rules=rules)


def searched(model, ids, case):
    """The text of one row, and its score."""
    out = model.generate(input_ids=ids[None], do_sample=False, max_new_tokens=NEW_TOKENS, num_beams=case["num_beams"],
                         length_penalty=case["length_penalty"], early_stopping=STOPPING[case["early_stopping"]],
                         eos_token_id=case["ends"] or None, pad_token_id=0, return_dict_in_generate=True,
                         output_scores=True, output_logits=True, **case["rules"])
    begin = 1 if model.config.is_encoder_decoder else len(ids)
    size = (out.beam_indices[0] >= 0).sum()
    return out.sequences[0, begin:begin + size].tolist(), out.sequences_scores[0].item()


def matters(setting, written):
    """Whether cases that differ in it alone find other texts: else a test of it would prove nothing."""
    found = {}
    for case in written:
        others = {key: value for key, value in case.items() if key not in (setting, "texts", "scores")}
        found.setdefault(json.dumps(others), set()).add(json.dumps(case["texts"]))
    return any(len(texts) > 1 for texts in found.values())


def write_beams(name):
    kind, batch_name, ends = MODELS[name]
    folder = OUTPUT / name
    reference = load_file(folder / "reference.safetensors")
    rows = [ids[mask.bool()].long() for ids, mask in zip(reference[f"{batch_name}.input_ids"],
                                                         reference[f"{batch_name}.token_mask"])]
    exact = kind.from_pretrained(folder, dtype=torch.float64).eval()
    single = kind.from_pretrained(folder, dtype=torch.float32).eval()
    written = []
    with torch.no_grad():
        for case in cases(ends):
            texts, scores = zip(*(searched(single, row, case) for row in rows))
            assert list(texts) == [searched(exact, row, case)[0] for row in rows], (name, case)
            written.append(case | {"texts": texts, "scores": scores})
    for setting in "num_beams", "length_penalty", "early_stopping":
        assert matters(setting, written), (name, setting)
    without = next(case for case in written if not case["rules"] and case["ends"] and case["num_beams"] == 4
                   and case["length_penalty"] == 1 and case["early_stopping"] == "off")
    for case in written:
        is_met_anyway = min(map(len, without["texts"])) >= case["rules"].get("min_new_tokens", NEW_TOKENS + 1)
        assert not case["rules"] or is_met_anyway or case["texts"] != without["texts"], (name, case["rules"])
    (folder / "beams.json").write_text(json.dumps({"made_by": versions(), "batch": batch_name, "new_tokens": NEW_TOKENS,
                                                   "cases": written}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    write_named(__doc__, MODELS, write_beams)
