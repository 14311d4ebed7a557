"""Tiny checkpoints for config_sweep.py, and what Transformers answers with them.

The tokenizers are of the kind that each family has (WordPiece, byte-level BPE, Unigram), small enough that every word
of the texts is one token. Weights are normal with a standard deviation of 0.4 (less in wide layers), so that a wrong
setting shows.
"""

import functools
import json
import math

import safetensors.torch
import tokenizers
import torch
import transformers
from tokenizers import pre_tokenizers, trainers

WORDS = (
    "film movie plot story actor music and but is was not very good bad great dull slow bright funny sad you we it "
    "this that of to in on with no never best worst love hate like time end cast scene watch again every joke hour"
).split()
LETTERS = "abcdefghijklmnopqrstuvwxyz.?"
TEXTS = [
    "we love this movie and the bright music", "dull", "the plot is slow but every scene is funny and very sad",
    "no joke", "it was the best film of that time", "you watch it again and again , never like the end",
]
QUESTIONS = [("is it good", "the actor is great and the plot is dull"), ("what is slow", "we watch"),
             ("you hate it", "every scene is bright but the end is sad and the cast was bad")]
NEW_TOKENS = 12
TOP = 100  # the most fillings that `predict` shows
LARGEST = 40_000_000  # parameters

AUTO = {
    "embedding": transformers.AutoModel, "sequence_classification": transformers.AutoModelForSequenceClassification,
    "token_classification": transformers.AutoModelForTokenClassification,
    "question_answering": transformers.AutoModelForQuestionAnswering,
    "masked_lm": transformers.AutoModelForMaskedLM, "causal_lm": transformers.AutoModelForCausalLM,
}
DECODERS = ("gpt2", "opt", "llama", "qwen2", "qwen3", "mistral")
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
# Family: kind of vocabulary, class of the tokenizer, its special tokens by ID, and the IDs that config.json has.
TOKENIZERS = {
    **dict.fromkeys(("bert", "distilbert", "squeezebert", "electra"), ("pieces", "BertTokenizer", BERT, {"pad": 0})),
    "roberta": ("bytes", "RobertaTokenizer", ROBERTA, {"pad": 1, "bos": 0, "eos": 2}),
    "xlm-roberta": ("unigram", "XLMRobertaTokenizer", ROBERTA, {"pad": 1, "bos": 0, "eos": 2}),
    "camembert": ("unigram", "CamembertTokenizer", ROBERTA, {"pad": 1, "bos": 0, "eos": 2}),
    "albert": ("unigram", "AlbertTokenizer", ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"],
               {"pad": 0, "bos": 2, "eos": 3}),
    "gpt2": ("bytes", "GPT2Tokenizer", ["<|endoftext|>", "<pad>"], {"pad": 1, "bos": 0, "eos": 0}),
    "opt": ("bytes", "GPT2Tokenizer", ["<s>", "<pad>", "</s>"], {"pad": 1, "bos": 2, "eos": 2}),
    **dict.fromkeys(("llama", "mistral"),
                    ("words", "LlamaTokenizer", ["<unk>", "<s>", "</s>", "<pad>"], {"pad": 3, "bos": 1, "eos": 2})),
    **dict.fromkeys(("qwen2", "qwen3"), ("bytes", "Qwen2Tokenizer", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
                                         {"pad": 0, "eos": 2})),
}
NAMES = {"pad": "pad_token_id", "bos": "bos_token_id", "eos": "eos_token_id"}


@functools.cache
def vocabulary(family):
    """What the class takes as `vocab`, and `merges` where it has them."""
    kind, _, special, _ = TOKENIZERS[family]
    if kind == "pieces":
        tokens = special + list(LETTERS + ",") + [f"##{letter}" for letter in LETTERS] + ["the"] + WORDS
        return {"vocab": {token: i for i, token in enumerate(tokens)}}
    if kind == "unigram":
        pieces = ["▁", *LETTERS, ",", "▁the", "▁,", *(f"▁{word}" for word in WORDS)]
        return {"vocab": [(token, 0.0) for token in special] + [(p, -1 - 0.01 * i) for i, p in enumerate(pieces)]}
    corpus = [" ".join(WORDS[i:] + WORDS[:i]) + " the , " + " ".join(LETTERS) for i in range(len(WORDS))]
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace() if kind == "words" else pre_tokenizers.ByteLevel()
    trained.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=600, special_tokens=special,
                                                            show_progress=False))
    model = json.loads(trained.to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(merge) for merge in model["merges"]]}


def tokenizer_of(family, pad=None):
    """One of the family's class, whose padding token is that of ID `pad` where that is given."""
    _, class_name, special, ids = TOKENIZERS[family]
    known = vocabulary(family)["vocab"]
    by_id = dict(enumerate(token for token, _ in known)) if isinstance(known, list) else \
        {i: token for token, i in known.items()}
    settings = {f"{name}_token": by_id[i] for name, i in ids.items()}
    if pad is not None:
        settings["pad_token"] = by_id[pad]
    if family == "opt":
        settings.update(unk_token="</s>", add_bos_token=True)
    if family == "gpt2":
        settings["additional_special_tokens"] = ["<pad>"]
    if family == "camembert":
        settings["additional_special_tokens"] = []
    if class_name == "BertTokenizer":
        settings.update(unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")
    return getattr(transformers, class_name)(**vocabulary(family), **settings)


def special_ids(family):
    """What config.json says of the tokenizer."""
    ids = {NAMES[name]: value for name, value in TOKENIZERS[family][3].items()}
    return {"vocab_size": len(vocabulary(family)["vocab"]), **ids}


def spare_id(family):
    """The ID of a token that no text has."""
    known = vocabulary(family)["vocab"]
    tokens = [token for token, _ in known] if isinstance(known, list) else sorted(known, key=known.get)
    return next(i for i, token in enumerate(tokens) if token.strip("▁Ġ") == "hour")


def heads(family):
    config_class = transformers.CONFIG_MAPPING[family]
    foreign = "masked_lm" if family in DECODERS else "causal_lm"
    return [head for head, auto in AUTO.items() if config_class in auto._model_mapping and head != foreign]


@functools.cache
def has_tied_bias(family):
    return family not in DECODERS and any(name.endswith("bias") for name in tied(family, "masked_lm"))


def tied(family, head):
    """{name of a tensor that is tied: what it is tied to}."""
    model_class = AUTO[head]._model_mapping[transformers.CONFIG_MAPPING[family]]
    return dict(getattr(model_class, "_tied_weights_keys", None) or {})


def draw_weights(model):
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            is_norm = parameter.dim() == 1 and name.endswith("weight")
            scale = 0.4 * min(1.0, (48 / parameter.shape[-1]) ** 0.5)
            parameter.copy_(1 + 0.2 * noise if is_norm else scale * noise)


def give_own_head(case, folder):
    """Puts tensors of their own beside those that the head would share."""
    file = folder / "model.safetensors"
    weights = safetensors.torch.load_file(file)
    base = AUTO[case.head]._model_mapping[transformers.CONFIG_MAPPING[case.family]].base_model_prefix
    generator = torch.Generator().manual_seed(9)
    for name, source in tied(case.family, case.head).items():
        kind = name.rsplit(".", 1)[-1]
        if case.own_head in (kind, "both"):
            known = weights[source if source in weights else f"{base}.{source}"]
            weights[name] = (torch.randn(known.shape, generator=generator) * 0.4).to(known.dtype)
    safetensors.torch.save_file(weights, file, {"format": "pt"})


def write_checkpoint(case, sizes, folder):
    """Builds, saves and changes; raises what Transformers raises where it cannot build such a model."""
    spans = {"num_labels": 2} if case.head == "question_answering" else {}  # DistilBERT refuses other numbers
    config = transformers.CONFIG_MAPPING[case.family](**{**sizes, **spans, **case.built})
    with torch.device("meta"):
        count = sum(p.numel() for p in AUTO[case.head].from_config(config).parameters())
    if count > LARGEST:
        raise ValueError(f"the model would have {count} parameters")
    model = AUTO[case.head].from_config(config)
    draw_weights(model)
    model.to(getattr(torch, case.stored)).save_pretrained(folder)
    file = folder / "config.json"
    written = json.loads(file.read_text())
    if "*" in case.written:
        written = {**json.loads(json.dumps(model.config.to_dict(), default=str)), **written}
    for key in case.removed:
        written.pop(key, None)
    written.update({key: value for key, value in case.written.items() if key != "*"})
    file.write_text(json.dumps(written, indent=1))
    (folder / "generation_config.json").unlink(missing_ok=True)
    if case.generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(case.generation))
    if case.own_head:
        give_own_head(case, folder)
    tokenizer_of(case.family, case.pad).save_pretrained(folder)


def texts_of(case, task):
    """The texts asked, as (text, second text or None)."""
    if task == "question_answering":
        return QUESTIONS
    _, _, special, ids = TOKENIZERS[case.family]
    texts = list(TEXTS)
    if task == "masked_lm":
        mask = next(token for token in special if "mask" in token.lower())
        texts = [f"{text} {mask} is {mask}" for text in texts]
    if case.texts == "padding":
        pad = special[ids["pad"]]
        texts = [f"{text.replace(' ', f' {pad} ', 1)} {pad}" for text in texts]
    return [(text, None) for text in texts]


class Original:
    """The checkpoint in Transformers, in fp32. One that lacks tensors, or has them in another shape, is an error."""

    def __init__(self, case, folder):
        model, info = AUTO[case.head].from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
        lacking = info["missing_keys"] or info.get("mismatched_keys")
        if lacking:
            raise ValueError(f"tensors that are missing or misshapen: {lacking}")
        self.case, self.head = case, model.eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def has_tokens_of(self, file):
        """Whether the class makes the tokens that tokenizer.json says. What is compared here is models."""
        plain = tokenizers.Tokenizer.from_file(str(file))
        for text in (*TEXTS, *QUESTIONS):
            texts = text if isinstance(text, tuple) else (text,)
            theirs, own = self.tokenizer.backend_tokenizer.encode(*texts), plain.encode(*texts)
            if (theirs.ids, theirs.offsets) != (own.ids, own.offsets):
                return False
        return True

    def answers(self, task, dtype=torch.float32):
        """In the form of `predict`: a dict for each text."""
        self.head.to(dtype)
        self.model = self.head.base_model if task == "embedding" else self.head
        self.texts = texts_of(self.case, task)
        return getattr(self, task)()

    def batch(self, rows, side="right"):
        self.tokenizer.padding_side = side
        first, second = zip(*rows)
        return self.tokenizer(list(first), list(second) if second[0] else None, padding=True, return_tensors="pt")

    def outputs(self):
        """Of one batch of all texts; of each alone where config.json has another padding token than the tokenizer."""
        knows_padding = self.model.config.pad_token_id == self.tokenizer.pad_token_id
        with torch.no_grad():
            for rows in [self.texts] if knows_padding else [[row] for row in self.texts]:
                batch = self.batch(rows)
                yield batch, self.model(**batch, return_dict=True)

    def embedding(self):
        rows = []
        for batch, out in self.outputs():
            mask = batch["attention_mask"].unsqueeze(-1).float()
            rows += ((out.last_hidden_state * mask).sum(1) / mask.sum(1)).tolist()
        return [{"embedding": row} for row in rows]

    def sequence_classification(self):
        config, rows = self.model.config, []
        for _, out in self.outputs():
            for logits in out.logits:
                if config.problem_type == "regression":
                    rows.append({"values": logits.tolist()})
                elif config.problem_type == "multi_label_classification":
                    scores = logits.sigmoid().tolist()
                    chosen = [i for i, score in enumerate(scores) if score > 0.5]
                    rows.append({"logits": logits.tolist(), "labels": [config.id2label.get(i, i) for i in chosen],
                                 "scores": [scores[i] for i in chosen]})
                else:
                    scores = logits.sigmoid() if config.num_labels == 1 else logits.softmax(-1)
                    # Keys of sentence-transformers, which its CrossEncoder obeys and the pipeline does not.
                    own = getattr(config, "sentence_transformers", None) or {}
                    name = own.get("activation_fn", getattr(config, "sbert_ce_default_activation_function", None))
                    if name is not None:
                        scores = {"Identity": logits, "Sigmoid": logits.sigmoid()}[name.rsplit(".", 1)[-1]]
                    best = scores.argmax().item()
                    rows.append({"logits": logits.tolist(), "label": config.id2label.get(best, best),
                                 "score": scores[best].item()})
        return rows

    def token_classification(self):
        pipeline = transformers.pipeline("token-classification", model=self.model, tokenizer=self.tokenizer,
                                         aggregation_strategy="first", device="cpu", batch_size=len(self.texts))
        return [{"entities": [[e["entity_group"], e["start"], e["end"]] for e in found],
                 "scores": [float(e["score"]) for e in found]} for found in pipeline([text for text, _ in self.texts])]

    def question_answering(self):
        rows = []
        for _, out in self.outputs():
            for i in range(len(out.start_logits)):
                text = self.texts[len(rows)]
                encoded = self.tokenizer(*text, return_offsets_mapping=True)
                places = [place if part == 1 else None for place, part in
                          zip(encoded["offset_mapping"], encoded.encodings[0].sequence_ids)]
                rows.append(best_answer(text[1], out.start_logits[i].tolist(), out.end_logits[i].tolist(), places))
        return rows

    def masked_lm(self):
        rows, mask = [], self.tokenizer.mask_token_id
        for batch, out in self.outputs():
            for ids, logits in zip(batch["input_ids"], out.logits):
                places = (ids == mask).nonzero()[:, 0]
                rows.append({"fillings": [logits[place].log_softmax(-1).tolist() for place in places]})
        return rows

    def causal_lm(self):
        self.model.generation_config.max_length = None
        rules = self.model.generation_config
        # These take padding for a part of the text; so each text is asked alone.
        counts_padding = bool(rules.min_length or rules.no_repeat_ngram_size)
        # The original's cache keeps a window's tokens less one, and by that all where the window is 1.
        has_cache = getattr(self.model.config, "sliding_window", None) != 1
        rows = []
        for texts in [[text] for text in self.texts] if counts_padding else [self.texts]:
            batch = self.batch(texts, "left")
            batch.pop("token_type_ids", None)
            made = self.model.generate(**batch, do_sample=False, max_new_tokens=NEW_TOKENS, use_cache=has_cache)
            rows += made[:, batch["input_ids"].shape[1]:].tolist()
        end = self.model.generation_config.eos_token_id
        ends = set(end if isinstance(end, list) else [end])
        return [{"ids": until(row, ends), "ends": sorted(ends - {None})} for row in rows]


def until(ids, ends):
    return next((ids[:i] for i, value in enumerate(ids) if value in ends), ids)


TIE = 2e-5  # scores of answers that are within what fp32 tells apart


def best_answer(context, starts, ends, places):
    """As postprocess_qa_predictions with version_2_with_negative, for one window without padding."""
    starts, ends = starts[:len(places)], ends[:len(places)]

    def best(values):
        return sorted(range(len(values)), key=lambda i: values[i])[-1:-21:-1]

    null = starts[0] + ends[0]
    found = [(null, None)]
    for i in best(starts):
        for j in best(ends):
            if places[i] and places[j] and i <= j < i + 30:
                found.append((starts[i] + ends[j], context[places[i][0]:places[j][1]]))
    found = sorted(found, key=lambda pair: -pair[0])[:20]
    # Rounding decides then whether the empty answer is among the 20, and so shares the probability.
    is_loose = len(found) == 20 and abs(null - found[-1][0]) <= TIE * max(1, abs(null))
    if all(text is not None for _, text in found):
        found.append((null, None))
    largest = max(score for score, _ in found)
    total = sum(math.exp(score - largest) for score, _ in found)
    score, text = next(((score, text) for score, text in found if text), (null, None))
    if null > score:
        score, text = null, None
    tied = {(other or "").strip() for value, other in found if abs(value - score) <= TIE * max(1, abs(score))}
    return {"answer": (text or "").strip(), "null_score": null, "log_scores": [score - largest - math.log(total)],
            "tied": sorted(tied), "is_loose": is_loose}
