#!/usr/bin/env python3
"""Writes tests/data/models/generation_rules.json: what the keys of generation_config.json make of scores, by the logits processors
of Transformers.

Each case has `settings` (a generation_config.json), `prompt`, `text` (tokens generated so far), `scores` and
`expected` (null: excluded). Not run by the build: the file is committed. It needs what model_reference.py lists.
"""

import json
import pathlib
import random

import torch
import transformers

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "models" / "generation_rules.json"
VOCABULARY = 12
SETTINGS = [
    {"repetition_penalty": 1.3}, {"repetition_penalty": 0.7}, {"no_repeat_ngram_size": 1}, {"no_repeat_ngram_size": 2},
    {"no_repeat_ngram_size": 3}, {"min_new_tokens": 3}, {"min_length": 7}, {"suppress_tokens": [1, 4]},
    {"begin_suppress_tokens": [5, 6]}, {"bad_words_ids": [[3]]}, {"bad_words_ids": [[3, 4], [2], [2, 5, 1]]},
    {"repetition_penalty": 1.1, "no_repeat_ngram_size": 2, "min_new_tokens": 2, "suppress_tokens": [7]},
]
ENDS = [2, 9]


def main():
    random.seed(5)
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=8, n_layer=1, n_head=1, n_positions=32)
    model = transformers.GPT2LMHeadModel(config)
    cases = []
    for settings in SETTINGS:
        for prompt_length, text_length in ((4, 0), (4, 1), (5, 4), (1, 6)):
            tokens = [random.randrange(5) + 1 for _ in range(prompt_length + text_length)]
            scores = torch.tensor([[round(random.uniform(-3, 3), 3) for _ in range(VOCABULARY)]])
            generation = transformers.GenerationConfig(eos_token_id=ENDS, max_new_tokens=20, **settings)
            model._prepare_special_tokens(generation, True, device="cpu")
            processors = model._get_logits_processor(generation, input_ids_seq_length=prompt_length, device="cpu",
                                                     encoder_input_ids=None, prefix_allowed_tokens_fn=None)
            expected = processors(torch.tensor([tokens]), scores.clone())[0]
            cases.append({"settings": settings, "prompt": tokens[:prompt_length], "text": tokens[prompt_length:],
                          "scores": scores[0].tolist(),
                          "expected": [None if value == float("-inf") else value for value in expected.tolist()]})
    OUTPUT.write_text(json.dumps({"made_by": f"transformers {transformers.__version__}", "ends": ENDS, "cases": cases},
                                 separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
