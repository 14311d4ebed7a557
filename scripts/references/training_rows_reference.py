#!/usr/bin/env python3
"""Writes tests/data/training/rows.json: the rows that Hugging Face's example scripts make of small data sets.

    training_rows_reference.py

Not run by the build or by CI: the file is committed. It needs transformers alone. The functions below are those of the example
scripts of Transformers (run_qa.py, run_ner.py, run_clm.py) without what pads rows; where they differ it is said. The texts
are the bundled reviews, share/texts; the places of answers and the tags are drawn.
"""
import json
import pathlib
import random
import shutil
import tempfile

import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ROOT / "share" / "texts"
BYTE_LEVEL = ROOT / "tests" / "data" / "tokenizers" / "byte_level_llama3.json"


def bert_tokenizer():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TEXTS / "vocab.txt", folder)
        config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}
        (pathlib.Path(folder) / "tokenizer_config.json").write_text(json.dumps(config))
        return transformers.AutoTokenizer.from_pretrained(folder)


def byte_level_tokenizer():
    return transformers.PreTrainedTokenizerFast(tokenizer_file=str(BYTE_LEVEL))


def reviews():
    lines = (TEXTS / "reviews.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return [line.split("\t")[0] for line in lines if line]


def questions(texts, draw):
    """SQuAD's flat rows: every third answer begins and ends inside of words, every fifth question has none."""
    rows = []
    for i in range(40):
        context = " ".join(draw.sample(texts, draw.randint(1, 6)))
        if i % 4 == 0:
            context = context.replace("e", "\u00e9").replace("the", "\u4e2d\u6587 the")
        words = [0] + [k + 1 for k, c in enumerate(context) if c == " "] + [len(context) + 1]
        first = draw.randrange(len(words) - 1)
        last = min(first + draw.randint(1, 5), len(words) - 1)
        start, end = words[first], words[last] - 1
        if i % 3 == 0 and end - start > 4:
            start, end = start + 1, end - 2
        answers = {"text": [], "answer_start": []} if i % 5 == 4 else {"text": [context[start:end]], "answer_start": [start]}
        question = ("  " if i % 7 == 0 else "") + " ".join(draw.choice(texts).split()[:draw.randint(1, 12)]) + "?"
        rows.append({"id": f"q{i}", "title": "reviews", "question": question, "context": context, "answers": answers})
    return rows


def prepare_train_features(tokenizer, example, max_length, stride):
    tokenized = tokenizer([example["question"].lstrip()], [example["context"]], truncation="only_second", max_length=max_length,
                          stride=stride, return_overflowing_tokens=True, return_offsets_mapping=True)
    rows = []
    for i, offsets in enumerate(tokenized["offset_mapping"]):
        input_ids = tokenized["input_ids"][i]
        cls_index = input_ids.index(tokenizer.cls_token_id)
        sequence_ids = tokenized.sequence_ids(i)
        answers = example["answers"]
        start, end = cls_index, cls_index
        if answers["answer_start"]:
            start_char = answers["answer_start"][0]
            end_char = start_char + len(answers["text"][0])
            token_start_index = sequence_ids.index(1)
            token_end_index = len(input_ids) - 1
            while sequence_ids[token_end_index] != 1:
                token_end_index -= 1
            last = token_end_index
            if offsets[token_start_index][0] <= start_char and offsets[token_end_index][1] >= end_char:
                # run_qa.py: token_start_index < len(offsets). The offsets behind the context are (0, 0), so that an answer in its
                # last token begins in the last padding there, behind its end.
                while token_start_index <= last and offsets[token_start_index][0] <= start_char:
                    token_start_index += 1
                start = token_start_index - 1
                while offsets[token_end_index][1] >= end_char:
                    token_end_index -= 1
                end = token_end_index + 1
        rows.append({"ids": input_ids, "type_ids": tokenized["token_type_ids"][i], "labels": [start, end]})
    return rows


def sentences(texts, draw):
    """Words as they stand between blanks, with punctuation, and tags at random."""
    tags = ["O", "B-person", "I-person", "B-\u00e9t\u00e9", "B-location"]
    return [[[word, draw.choice(tags)] for word in text.split()] for text in draw.sample(texts, 20)]


def tokenize_and_align_labels(tokenizer, sentence, label_to_id, max_length):
    tokenized = tokenizer([word for word, _ in sentence], max_length=max_length, truncation=True, is_split_into_words=True)
    labels, previous = [], None
    for word in tokenized.word_ids():
        labels.append(-100 if word is None or word == previous else label_to_id[sentence[word][1]])
        previous = word
    return {"ids": tokenized["input_ids"], "labels": labels}


def group_texts(tokenizer, lines, block_size):
    ids = [one for line in lines for one in tokenizer(line)["input_ids"]]
    whole = len(ids) // block_size * block_size
    return [ids[i:i + block_size] for i in range(0, whole, block_size)]


def main():
    draw = random.Random(9)
    texts = reviews()
    bert, byte_level = bert_tokenizer(), byte_level_tokenizer()
    asked = questions(texts, draw)
    tagged = sentences(texts, draw)
    label_list = sorted({tag for sentence in tagged for _, tag in sentence})
    label_to_id = {label: i for i, label in enumerate(label_list)}
    text = "\n".join(texts[:12]) + "\n\n \n" + "\r\n".join(texts[12:24])
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    out = {
        "transformers": transformers.__version__,
        "question_answering": {"max_length": 48, "stride": 12, "data": asked,
                               "rows": [prepare_train_features(bert, one, 48, 12) for one in asked]},
        "token_classification": {"max_length": 24, "sentences": tagged, "classes": label_list,
                                 "rows": [tokenize_and_align_labels(bert, one, label_to_id, 24) for one in tagged]},
        "causal_lm": {"max_length": 64, "text": text,
                      "blocks": {"bert": group_texts(bert, lines, 64), "byte_level": group_texts(byte_level, lines, 64)}},
    }
    path = ROOT / "tests" / "data" / "training" / "rows.json"
    body = ",\n".join(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}" for key, value in out.items())
    path.write_text("{\n" + body + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
