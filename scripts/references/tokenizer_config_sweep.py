#!/usr/bin/env python3
"""Compares each key of tokenizer_config.json and special_tokens_map.json with Transformers' AutoTokenizer.

    python scripts/references/tokenizer_config_sweep.py build/bin/transformeter [-v]

In an environment with transformers 5.23.0, as scripts/bench_parity makes one.

Writes folders of tiny tokenizers, each with one key set, and compares ids, token types and what model_max_length cuts
with `transformeter tokenize`. A case is agreed, refused (with the key's name), known (see KNOWN), different, or not loadable
by Transformers. Exits with 1 when one is different.

    python scripts/references/tokenizer_config_sweep.py build/bin/transformeter --write tests/data/tokenizer/config_keys.json

writes what Transformers answers to a choice of them: of each key and value a row that differs from that of a folder
without the key; what transformeter refuses is left out.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
import transformers  # noqa: E402
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors  # noqa: E402

transformers.logging.set_verbosity_error()
META = "\u2581"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'\"-<>[]|/_:é\u4e2d\u6587"
TEXTS = ["Hello hello", " hello  World", "héllo Éa", "a\u4e2d\u6587b", "x <mask> y", "x [MASK] y", "hello<s>a</s>", "",
         "a <new> b", "aNEWb NEW", "``a'' 1", "hello [CLS] <pad> [SEP]", "one<|endoftext|>two <unk> [UNK]",
         "the hell and the hello of all letters in a row"]
PAIRS = [("Hello a", "world b"), ("a", "héllo")]


# A class's own special token that the vocabulary lacks: Transformers gives it an id behind the vocabulary, which no
# model has, and finds it in texts; here it is plain text.
KNOWN = {f'llama: tokenizer_class = "{name}"' for name in ("GPT2Tokenizer", "Qwen2Tokenizer")} | {
    f'{layout}: tokenizer_class = "XLMRobertaTokenizer"' for layout in ("t5", "t5 of another file", "t5 by config.json")}
WRITTEN_LAYOUTS = {"bert of a cased file", "distilbert", "bert vocab.txt", "file (gpt2)", "roberta", "opt vocab.json",
                   "qwen2", "albert without post-processor", "xlm-roberta", "camembert", "llama", "mpnet of another file",
                   "mpnet vocab.txt", "clip of another file", "t5 of another file"}


def wordpiece_words():
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>", "hello", "Hello", "hell", "world", "World"]
    return {word: i for i, word in enumerate(words + list(LETTERS) + ["##" + c for c in LETTERS])}


def mpnet_words():
    words = ["<s>", "<pad>", "</s>", "<unk>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += ["hello", "Hello", "hell", "world", "World"] + list(LETTERS) + ["##" + c for c in LETTERS]
    return {word: i for i, word in enumerate(words + ["<mask>"])}


def clip_words():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = ["<s>", "</s>", "<unk>", "<pad>", "<mask>", "[CLS]", "[SEP]", "hello"]
    words += [*letters, *(letter + "</w>" for letter in letters), "he", "lo</w>", "<|startoftext|>", "<|endoftext|>"]
    return {word: i for i, word in enumerate(words)}


def byte_words():
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"]
    words += sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("\u0120", "hello"), ("\u0120", "a"), ("H", "e")]
    return {w: i for i, w in enumerate(words + ["".join(m) for m in merges])}, merges


def meta_words(specials):
    return [(w, 0.0) for w in specials] + [(META, -2.0), (META + "hello", -3.0), ("hello", -4.0)] + [
        (c, -5.0 - i / 100) for i, c in enumerate(LETTERS)]


def llama_words():
    words = ["<unk>", "<s>", "</s>", "<pad>", "<mask>", "[CLS]", "[SEP]", "[MASK]"]
    words += [f"<0x{i:02X}>" for i in range(256)] + [META] + list(LETTERS)
    merges = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), (META, "hello"), (META, "a")]
    return {w: i for i, w in enumerate(words + ["".join(m) for m in merges])}, merges


def saved(tokenizer):
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        return json.loads(pathlib.Path(folder, "tokenizer.json").read_text())


def layouts():
    """Name, files without tokenizer_config.json, and what that has whatever the key."""
    bytes_vocab, merges = byte_words()
    merge_lines = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges)
    bert = saved(transformers.BertTokenizer(vocab=wordpiece_words()))
    cased = saved(transformers.BertTokenizer(vocab=wordpiece_words(), do_lower_case=False))
    cased["truncation"] = {"direction": "Left", "max_length": 7, "strategy": "LongestFirst", "stride": 0}
    roberta = saved(transformers.RobertaTokenizer(vocab=bytes_vocab, merges=merges, add_prefix_space=True))
    gpt2 = saved(transformers.GPT2Tokenizer(vocab=bytes_vocab, merges=merges))
    framed = json.loads(json.dumps(gpt2))
    framed["post_processor"] = json.loads(processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 0)]).__getstate__())
    framed["added_tokens"][0]["lstrip"] = True
    qwen2 = saved(transformers.Qwen2Tokenizer(vocab=bytes_vocab, merges=merges))
    albert_words = meta_words(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"])
    albert = saved(transformers.AlbertTokenizer(vocab=albert_words))
    bare_albert = json.loads(json.dumps(albert))
    bare_albert["post_processor"] = None
    xlmr = saved(transformers.XLMRobertaTokenizer(
        vocab=meta_words(["<s>", "<pad>", "</s>", "<unk>"]) + [("<mask>", 0.0)]))
    camembert = saved(transformers.CamembertTokenizer(
        vocab=meta_words(["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"])
        + [("<mask>", 0.0)]))
    llama_vocab, llama_merges = llama_words()
    llama = saved(transformers.LlamaTokenizer(vocab=llama_vocab, merges=llama_merges))
    gemma_vocab = {{"<s>": "<bos>", "</s>": "<eos>"}.get(word, word): i for word, i in llama_vocab.items()}
    gemma = saved(transformers.GemmaTokenizer(vocab=gemma_vocab, merges=llama_merges))
    with_space = json.loads(json.dumps(gemma))
    with_space["normalizer"] = {"type": "Prepend", "prepend": META}
    mpnet = saved(transformers.MPNetTokenizer(vocab=mpnet_words()))
    other_mpnet = saved(transformers.MPNetTokenizer(vocab=mpnet_words(), do_lower_case=False, strip_accents=True))
    other_mpnet["pre_tokenizer"] = {"type": "Whitespace"}
    other_mpnet["post_processor"] = bert["post_processor"]
    clip = saved(transformers.CLIPTokenizer(vocab=clip_words(), merges=[("h", "e"), ("l", "o</w>")]))
    other_clip = json.loads(json.dumps(clip))
    other_clip["pre_tokenizer"], other_clip["normalizer"] = {"type": "Whitespace"}, None
    other_clip["post_processor"] = bert["post_processor"]
    t5_words = meta_words(["<pad>", "</s>", "<unk>", "[SEP]", "<s>"]) + [(f"<extra_id_{i}>", 0.0) for i in (2, 1, 0)]
    t5 = saved(transformers.T5Tokenizer(vocab=t5_words, extra_ids=3))
    other_t5 = json.loads(json.dumps(t5))
    other_t5["pre_tokenizer"], other_t5["post_processor"] = {"type": "Whitespace"}, bert["post_processor"]
    as_json = lambda value: json.dumps(value, ensure_ascii=False)  # noqa: E731
    one = lambda value: {"tokenizer.json": as_json(value)}  # noqa: E731
    model = lambda name: {"config.json": json.dumps({"model_type": name})}  # noqa: E731
    words = lambda: {"vocab.json": as_json(bytes_vocab), "merges.txt": merge_lines}  # noqa: E731
    yield "bert", one(bert), {"tokenizer_class": "BertTokenizer"}
    yield "bert of a cased file", one(cased), {"tokenizer_class": "BertTokenizerFast"}
    yield "distilbert", {**one(cased), **model("distilbert")}, {"tokenizer_class": "DistilBertTokenizer"}
    yield "electra", one(bert), {"tokenizer_class": "ElectraTokenizer"}
    yield "bert by config.json", {**one(cased), **model("bert")}, {}
    yield "bert vocab.txt", {"vocab.txt": "".join(w + "\n" for w in wordpiece_words())}, {"tokenizer_class": "BertTokenizer"}
    yield "file (bert)", one(cased), {"tokenizer_class": "PreTrainedTokenizerFast"}
    yield "file (gpt2)", one(framed), {"tokenizer_class": "PreTrainedTokenizerFast"}
    yield "unknown class", one(framed), {"tokenizer_class": "NoSuchTokenizer"}
    yield "no class", one(cased), {}
    yield "roberta", one(roberta), {"tokenizer_class": "RobertaTokenizer"}
    yield "roberta of gpt2's file", one(gpt2), {"tokenizer_class": "RobertaTokenizer"}
    yield "roberta by config.json", {**one(roberta), **model("roberta")}, {}
    yield "roberta vocab.json", words(), {"tokenizer_class": "RobertaTokenizer"}
    yield "gpt2", one(gpt2), {"tokenizer_class": "GPT2Tokenizer"}
    yield "gpt2 of a framed file", {**one(framed), **model("gpt2")}, {}
    yield "gpt2 vocab.json", words(), {"tokenizer_class": "GPT2Tokenizer"}
    yield "opt vocab.json", {**words(), **model("opt")}, {
        "tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "bos_token": "</s>", "eos_token": "</s>",
        "unk_token": "</s>", "pad_token": "<pad>"}
    yield "qwen2", {**one(qwen2), **model("qwen2")}, {"tokenizer_class": "Qwen2Tokenizer"}
    yield "qwen2 of gpt2's file", {**one(framed), **model("qwen3")}, {}
    yield "qwen2 vocab.json", words(), {"tokenizer_class": "Qwen2Tokenizer"}
    yield "albert", one(albert), {"tokenizer_class": "AlbertTokenizer"}
    yield "albert without post-processor", one(bare_albert), {"tokenizer_class": "AlbertTokenizer"}
    yield "xlm-roberta", {**one(xlmr), **model("xlm-roberta")}, {"tokenizer_class": "XLMRobertaTokenizer"}
    yield "camembert", {**one(camembert), **model("camembert")}, {"tokenizer_class": "CamembertTokenizer"}
    yield "camembert by config.json", {**one(camembert), **model("camembert")}, {}
    yield "llama", {**one(llama), **model("llama")}, {"tokenizer_class": "LlamaTokenizer"}
    yield "llama of a byte-level file", {**one(gpt2), **model("llama")}, {"tokenizer_class": "LlamaTokenizerFast"}
    yield "gemma", {**one(gemma), **model("gemma3_text")}, {"tokenizer_class": "GemmaTokenizer"}
    yield "gemma of another file", {**one(with_space), **model("gemma3_text")}, {"tokenizer_class": "GemmaTokenizerFast"}
    yield "gemma by config.json", {**one(gemma), **model("gemma3_text")}, {}
    yield "mpnet", {**one(mpnet), **model("mpnet")}, {"tokenizer_class": "MPNetTokenizer"}
    yield "mpnet of another file", one(other_mpnet), {"tokenizer_class": "MPNetTokenizerFast"}
    yield "mpnet by config.json", {**one(other_mpnet), **model("mpnet")}, {}
    yield "mpnet with accents", {**one(mpnet), **model("mpnet")}, {
        "tokenizer_class": "MPNetTokenizer", "do_lower_case": False, "strip_accents": False}
    yield "mpnet of other names", one(mpnet), {
        "tokenizer_class": "MPNetTokenizer", "bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "<unk>",
        "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]", "strip_accents": True}
    yield "mpnet vocab.txt", {"vocab.txt": "".join(w + "\n" for w in mpnet_words()), **model("mpnet")}, {}
    yield "clip", one(clip), {"tokenizer_class": "CLIPTokenizer"}
    yield "clip of another file", {**one(other_clip), **model("clip")}, {"tokenizer_class": "CLIPTokenizerFast"}
    yield "clip by config.json", {**one(other_clip), **model("clip")}, {}
    yield "t5", {**one(t5), **model("t5")}, {"tokenizer_class": "T5Tokenizer", "extra_ids": 3}
    yield "t5 of another file", one(other_t5), {"tokenizer_class": "T5TokenizerFast", "extra_ids": 3}
    yield "t5 by config.json", {**one(other_t5), **model("mt5")}, {"extra_ids": 3}
    yield "mistral", {**one(llama), **model("mistral")}, {"tokenizer_class": "LlamaTokenizer"}


def flags(content, **more):
    return {"content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, **more}


def keys():
    """Key and two values of tokenizer_config.json."""
    for name in ("add_prefix_space", "do_lower_case", "strip_accents", "tokenize_chinese_chars", "keep_accents",
                 "add_bos_token", "add_eos_token", "trim_offsets", "legacy", "split_special_tokens",
                 "clean_up_tokenization_spaces", "use_default_system_prompt", "do_basic_tokenize", "use_fast",
                 "clean_text", "remove_space", "from_slow", "spaces_between_special_tokens"):
        yield name, True, False
    yield "model_max_length", 6, 1e30
    yield "max_len", 6, 5
    yield "max_length", 6, 7
    yield "stride", 0, 1
    yield "truncation_strategy", "longest_first", "only_first"
    yield "pad_to_multiple_of", 8, None
    yield "pad_token_type_id", 0, 1
    yield "model_input_names", ["input_ids", "attention_mask"], ["input_ids", "token_type_ids", "attention_mask"]
    yield "padding_side", "left", "right"
    yield "truncation_side", "left", "right"
    yield "added_tokens_decoder", {}, {"7": flags("NEW", special=False, normalized=True)}
    yield "added_tokens_decoder", {"4": flags("[MASK]", special=True, lstrip=True)}, {
        "900": flags("<new>", special=True, rstrip=True), "5": flags("<|endoftext|>", special=True)}
    yield "added_tokens_decoder", {"4": flags("<mask>", special=True, lstrip=True)}, {
        "9": flags("hello", special=False, single_word=True)}
    for name in ("additional_special_tokens", "extra_special_tokens"):
        yield name, ["hello"], ["<new>", "NEW"]
        yield name, [], [{"__type": "AddedToken", **flags("NEW", rstrip=True)}]
    yield "extra_special_tokens", {"image_token": "<new>"}, {"boi_token": "hello"}
    yield "image_token", "hello", "<new>"
    for name in ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"):
        yield name, "hello", None
        yield name, "a", {"__type": "AddedToken", **flags("<s>", lstrip=True, normalized=True)}
        yield name, "</s>", "[SEP]"
    yield "tokenizer_class", "PreTrainedTokenizerFast", "TokenizersBackend"
    yield "tokenizer_class", "BertTokenizer", "GPT2Tokenizer"
    yield "tokenizer_class", "RobertaTokenizerFast", "LlamaTokenizer"
    yield "tokenizer_class", "AlbertTokenizer", "XLMRobertaTokenizer"
    yield "tokenizer_class", "Qwen2Tokenizer", "PreTrainedTokenizer"
    yield "fast_tokenizer_files", ["tokenizer.json"], ["tokenizer.4.0.0.json"]
    yield "name_or_path", "bert-base-cased", "x"
    yield "special_tokens_map_file", "/nowhere", "special_tokens_map.json"
    yield "tokenizer_file", "/nowhere", None
    yield "vocab_file", "/nowhere", None
    yield "merges_file", "/nowhere", None
    yield "errors", "replace", "ignore"
    yield "backend", "tokenizers", "custom"
    yield "never_split", ["hello"], []
    yield "unk_id", 0, 2
    yield "extra_ids", 0, 1
    yield "sp_model_kwargs", {}, {"alpha": 0.1}
    yield "chat_template", "{{ 'a' }}", None
    yield "verbose", True, False
    yield "processor_class", "X", "Y"
    yield "chat_control_tokens", ["hello"], []
    yield "init_inputs", [], None


def map_keys():
    """Key and two values of special_tokens_map.json."""
    for name in ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"):
        yield name, "hello", flags("</s>", lstrip=True)
        yield name, "[SEP]", None
    yield "additional_special_tokens", ["NEW"], ["hello", "<new>"]
    yield "extra_special_tokens", ["NEW"], ["hello", {"content": "<new>", "lstrip": True}]


def cases():
    for layout, files, own in layouts():
        yield f"{layout}: nothing", files, own, ""
        if not own and "config.json" in files:
            yield f"{layout}: no tokenizer_config.json", files, None, ""
        for key, *values in keys():
            for value in values:
                yield f"{layout}: {key} = {json.dumps(value)}", files, {**own, key: value}, key
        yield f"{layout}: pad_token twice", {**files, "special_tokens_map.json": '{"pad_token": "a"}'}, {
            **own, "pad_token": "hello", "added_tokens_decoder": {}}, "pad_token"
        for key, *values in map_keys():
            for value in values:
                yield f"{layout}: map {key} = {json.dumps(value)}", {
                    **files, "special_tokens_map.json": json.dumps({key: value})}, own, key
        for key, value in (("added_tokens.json", {"<new>": 999, "NEW": 998}), ("added_tokens.json", {"hello": 7})):
            yield f"{layout}: {key} = {json.dumps(value)}", {**files, key: json.dumps(value)}, own, key


def original(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    limit = tokenizer.model_max_length
    limits = {"truncation": True} if limit < 1e6 else {}
    rows = []
    for text, pair in [(t, None) for t in TEXTS] + PAIRS:
        # An empty second text would be none; there is no such pair here.
        row = tokenizer(text, pair, **limits)
        ids = row["input_ids"]
        rows.append([ids, row.get("token_type_ids", [0] * len(ids))])
    return rows


class Refused(Exception):
    pass


def ours(binary, folder):
    def run(*arguments, **more):
        done = subprocess.run([binary, "tokenize", "--model", folder, "--truncate", "--format", "jsonl", *arguments],
                              capture_output=True, text=True, **more)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
        return [json.loads(line) for line in done.stdout.splitlines()]

    rows = run("--file", "-", input="".join(t + "\n" for t in TEXTS))
    for first, second in PAIRS:
        rows += run("--pair", second, "--", first)
    return [[row["ids"], row["type_ids"]] for row in rows]


def write_folder(folder, files, config):
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def write_references(binary, path):
    result = {"layouts": {}, "cases": []}
    bare = {}
    with tempfile.TemporaryDirectory() as root:
        for number, (name, files, config, _) in enumerate(cases()):
            layout, what = name.split(": ", 1)
            if layout not in WRITTEN_LAYOUTS:
                continue
            folder = pathlib.Path(root, str(number))
            write_folder(folder, files, config)
            try:
                rows = original(str(folder))
                ours(binary, str(folder))
            except Exception:  # of either
                continue
            if what == "nothing":
                bare[layout] = rows
                result["layouts"][layout] = files
            shown = [(text, row) for text, row, plain in zip(TEXTS + PAIRS, rows, bare[layout])
                     if what == "nothing" or row != plain]
            more = {file: text for file, text in files.items() if files.get(file) != result["layouts"][layout].get(file)}
            for text, (ids, types) in shown[4::3] if what == "nothing" else shown[-1:]:
                first, *second = [text] if isinstance(text, str) else text
                result["cases"].append({"name": name, "files": more, "config": config, "text": first,
                                        "pair": second[0] if second else None, "ids": ids, "type_ids": types})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in result["cases"])
    layouts_text = json.dumps(result["layouts"], ensure_ascii=False)
    path.write_text(f'{{"layouts": {layouts_text},\n"cases": [\n{lines}\n]}}\n', encoding="utf-8")


def check(binary, folder, key):
    try:
        expected = original(folder)
    except Exception as error:  # whatever it says, it does not answer
        return "not loadable", f"{type(error).__name__}: {error}"
    try:
        got = ours(binary, folder)
    except Refused as refusal:
        named = key and key in str(refusal)
        return ("refused" if named else "different"), str(refusal)
    for text, a, b in zip(TEXTS + PAIRS, expected, got):
        if a != b:
            return "different", f"{text!r}: Transformers {a}, transformeter {b}"
    return "agreed", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program transformeter")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="write references to FILE")
    parser.add_argument("-v", "--verbose", action="store_true", help="also list what is refused or not loadable")
    parser.add_argument("--only", default="", help="cases that contain this")
    options = parser.parse_args()
    if options.write:
        return write_references(options.binary, options.write)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as root:
        for number, (name, files, config, key) in enumerate(cases()):
            if options.only not in name:
                continue
            folder = pathlib.Path(root, str(number))
            write_folder(folder, files, config)
            result, why = check(options.binary, str(folder), key)
            if result == "different" and name in KNOWN:
                result = "known"
            counts[result] += 1
            if result == "different" or (options.verbose and result != "agreed"):
                print(f"{result}: {name}\n    {why[:400]}", flush=True)
    print(", ".join(f"{counts[k]} {k}" for k in ("agreed", "refused", "known", "different", "not loadable")))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
