#!/usr/bin/env python3
"""Writes the loss curves that our training follows, made with Hugging Face Transformers and PyTorch.

    training_reference.py             tests/data/training/{curves,weighted_curves,scaled_curves,problem_curves}.json
    training_reference.py problem     problem_curves.json alone

Not run by the build or by CI: the files it writes are committed. It needs the virtual environment that
model_reference.py describes, with `pip install psutil pyyaml packaging` and `pip install --no-deps accelerate==1.15.0`
(the Trainer needs it). Formats are described in tests/data/training/README.md.

Every curve is made by the plain loop `train`, and none is written unless
- a second run gives the same numbers bit for bit;
- one with gradient checkpointing (which ALBERT lacks) and one by the Hugging Face Trainer on the same micro-batches
  give the same losses and norms within SAME (all but GPT-2's are equal bit for bit), and the same learning rates;
- in fp32, the same in float64 and with PyTorch's other kernels of the optimizers stays within LOSS_NOISE and
  NORM_NOISE, so that a correct implementation can be held to 1e-5 in the loss.

The loss over the micro-batches of a step, as Trainer 5.23.0 has it. It gives `num_items_in_batch`, the labels of all
micro-batches that are not -100 (less those of first positions where it knows that the model shifts labels), to every
model whose forward has **kwargs, which all models here have, and then divides by nothing; without `labels` in the batch
(question answering) it divides the mean of each micro-batch by their number.
- causal_lm: the model takes the count, so the step's loss is the mean over all labels of the step; but of
  GPT2LMHeadModel, whose name does not end as the others' do, the Trainer does not know that it shifts labels: the sum
  is divided by too many, with and without accumulation.
- sequence_classification, token_classification: BERT, DistilBERT and ALBERT swallow the count and return the mean of
  the micro-batch. Nothing divides it, so the step's loss and gradient are the *sum* of the micro-batches' means:
  `accumulation` times too large.
- question_answering: the mean of the micro-batches' means.
- with label smoothing the Trainer computes the loss itself, by the count.
curves.json has it so, being what the Trainer does. weighted_curves.json has the runs where this differs from the mean
over all labels of the step again, by that mean: the Trainer with a `compute_loss_func` that divides the sum by the
count, and GPT-2 with its `loss_type` set.

problem_curves.json has the other problems of a sequence classifier's head, problem_type regression and
multi_label_classification: without accumulation as the Trainer has them, with it by the mean over all numbers of the
step.

scaled_curves.json has runs in fp16 with torch.amp.GradScaler and its defaults, unscaled before the norm is taken, where
the first steps are skipped because their gradients, scaled, are beyond fp16. The Trainer refuses fp16 on the CPU, so
what holds these is the second run and the one with gradient checkpointing.

The optimizers, with g the clipped gradient, lr of the step, t = 1, 2, …:
- adamw, adam: torch.optim.{AdamW,Adam}(fused=True), as the Trainer's default optimizer is; in bf16 the fused kernel
  computes in float and rounds weights and state once a step, where the other rounds after each operation.
- sgd: torch.optim.SGD(momentum=0.9, fused=True): b ← g at t = 1, else 0.9 b + g; w ← w − lr b.
- adafactor: transformers.optimization.Adafactor(scale_parameter=False, relative_step=False), the rest by default:
  beta = 1 − t^−0.8; u = g² + epsilon; RMS(x) = |x|₂ / √numel.
  In two dimensions: R ← beta R + (1 − beta) mean of u over columns, C the same over rows; v = g / √(R / mean R) / √C.
  In one: V ← beta V + (1 − beta) u; v = g / √V. Then v ← v / max(1, RMS(v)); w ← w − lr weight_decay w; w ← w − lr v.
  In bf16 it computes in float and keeps R, C and V in float: only weights and gradients are bf16.
Weight decay applies to the parameters that Trainer.get_decay_parameter_names names.
"""

import json
import math
import pathlib
import random
import sys
import tempfile
import warnings

import torch
import transformers as t
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss
from transformers.loss.loss_utils import LOSS_MAPPING, ForCausalLMLoss
from transformers.optimization import Adafactor
from transformers.trainer_callback import PrinterCallback
from transformers.trainer_pt_utils import LabelSmoother

from model_reference import OUTPUT, vocabulary, versions, write_json

CURVES = OUTPUT.parent / "training"
STEPS = 20
SAME = 1e-6  # the order of sums may depend on where memory lies
LOSS_NOISE = 5e-6
NORM_NOISE = 2e-5  # relative, of norms above 1: second derivatives magnify the rounding of weights
PAD, CLS, SEP = 0, 2, 3
IGNORED = -100

CLASSES = {
    "tiny-distilbert-classifier": t.DistilBertForSequenceClassification,
    "tiny-albert": t.AlbertForSequenceClassification,
    "tiny-bert-reader": t.BertForQuestionAnswering,
    "tiny-bert-tagger": t.BertForTokenClassification,
    "tiny-gpt2": t.GPT2LMHeadModel,
    "tiny-llama": t.LlamaForCausalLM,
}
# (task, micro-batches) of each model
DATA = {
    "tiny-distilbert-classifier": ("sequence_classification", "sentences"),
    "tiny-albert": ("sequence_classification", "sentence_pairs"),
    "tiny-bert-reader": ("question_answering", "questions"),
    "tiny-bert-tagger": ("token_classification", "tagged_sentences"),
    "tiny-gpt2": ("causal_lm", "texts"),
    "tiny-llama": ("causal_lm", "texts"),
}
# Peaks at which the loss falls visibly in 20 steps and rounding does not grow.
OPTIMIZERS = {
    "adamw": dict(learning_rate=1e-3, weight_decay=0.01, momentum=0.0, epsilon=1e-8, betas=[0.9, 0.999]),
    "adam": dict(learning_rate=1e-3, weight_decay=0.0, momentum=0.0, epsilon=1e-8, betas=[0.9, 0.999]),
    "sgd": dict(learning_rate=0.02, weight_decay=0.0, momentum=0.9, epsilon=1e-8, betas=[0.9, 0.999]),
    "adafactor": dict(learning_rate=1e-3, weight_decay=0.0, momentum=0.0, epsilon=1e-30, betas=[0.9, 0.999]),
}
# (model, optimizer, accumulation): runs in which some steps are skipped, and not all.
SCALED = [("tiny-distilbert-classifier", "adamw", 4), ("tiny-distilbert-classifier", "sgd", 4), ("tiny-albert", "adamw", 1),
          ("tiny-llama", "adamw", 1), ("tiny-llama", "sgd", 1)]
PRODUCTS = {"bf16_autocast": torch.bfloat16, "fp16": torch.float16}  # weights in fp32
# By problem_type: the micro-batches and what their numbers are held against.
PROBLEMS = {"regression": ("valued_sentences", mse_loss),
            "multi_label_classification": ("labelled_sentences", binary_cross_entropy_with_logits)}
PEAKS = {"tiny-bert-reader": 5e-3, "tiny-bert-tagger": 5e-3, "tiny-gpt2": 5e-3}  # small weights need more


# --- Data: rows whose labels can be learnt, of seeded lengths ---


def padded(rows, fill):
    longest = max(len(row) for row in rows)
    return [row + [fill] * (longest - len(row)) for row in rows]


def micro_batch(draw, make_row):
    """2 to 4 rows of up to 12 tokens; the lists of labels are padded with -100."""
    rows = [make_row(draw, draw.randint(5, 12)) for _ in range(draw.randint(2, 4))]
    result = {"input_ids": padded([row["input_ids"] for row in rows], PAD),
              "attention_mask": padded([[1] * len(row["input_ids"]) for row in rows], 0)}
    for name in rows[0].keys() - {"input_ids"}:
        values = [row[name] for row in rows]
        fill = IGNORED if name == "labels" else 0
        result[name] = padded(values, fill) if isinstance(values[0], list) else values
    return dict(sorted(result.items(), key=lambda item: FIELDS.index(item[0])))


FIELDS = ["input_ids", "attention_mask", "token_type_ids", "labels", "start_positions", "end_positions"]
FIRST_WORD = next(i for i, word in enumerate(vocabulary()) if word == "the")
WORDS = range(FIRST_WORD, len(vocabulary()))


def words(draw, count):
    return [draw.choice(WORDS) for _ in range(count)]


def sentence(draw, length):
    """The class is told by the second word."""
    content = words(draw, length - 2)
    return {"input_ids": [CLS, *content, SEP], "labels": content[1] % 2}


def valued_sentence(draw, length):
    """Two values, told by the first and the second word."""
    content = words(draw, length - 2)
    return {"input_ids": [CLS, *content, SEP], "labels": [content[0] % 5 / 4, content[1] % 3 / 2 - 1]}


def labelled_sentence(draw, length):
    """Any of two classes, told by the first and the second word."""
    content = words(draw, length - 2)
    return {"input_ids": [CLS, *content, SEP], "labels": [float(content[0] % 3 == 0), float(content[1] % 2)]}


def sentence_pair(draw, length):
    """The class is told by the first word of the second text."""
    first = words(draw, (length - 3) // 2)
    second = words(draw, length - 3 - len(first))
    return {"input_ids": [CLS, *first, SEP, *second, SEP], "token_type_ids": [0] * (len(first) + 2) +
            [1] * (len(second) + 1), "labels": second[0] % 3}


def question(draw, length):
    """The answer begins at the word that the question is and ends at one of the two after it, if there are any."""
    context = words(draw, length - 4)
    begin = draw.randrange(len(context))
    end = min(begin + context[begin] % 3, len(context) - 1)
    return {"input_ids": [CLS, context[begin], SEP, *context, SEP],
            "token_type_ids": [0] * 3 + [1] * (len(context) + 1), "start_positions": 3 + begin,
            "end_positions": 3 + end}


def tagged_sentence(draw, length):
    """One of five tags by the word; every third word is left out, as the later pieces of a word are."""
    content = words(draw, length - 2)
    tags = [IGNORED if i % 3 == 2 else word % 5 for i, word in enumerate(content)]
    return {"input_ids": [CLS, *content, SEP], "labels": [IGNORED, *tags, IGNORED]}


def text(draw, length):
    """Counts on in a circle of eleven words."""
    begin = draw.randrange(11)
    ids = [WORDS[(begin + 3 * i) % 11] for i in range(length)]
    return {"input_ids": ids, "labels": list(ids)}


def all_batches():
    rows = {"sentences": sentence, "sentence_pairs": sentence_pair, "questions": question,
            "tagged_sentences": tagged_sentence, "texts": text, "valued_sentences": valued_sentence,
            "labelled_sentences": labelled_sentence}
    result = {name: [micro_batch(random.Random(f"{name} {i}"), make) for i in range(8)] for name, make in rows.items()}
    for batches in result.values():
        lengths = [[sum(row) for row in batch["attention_mask"]] for batch in batches]
        assert any(len(set(rows)) > 1 for rows in lengths) and len({max(rows) for rows in lengths}) > 1
        assert len({len(rows) for rows in lengths}) > 1
    return result


# --- The runs ---


def run_of(model, optimizer="adamw", precision="fp32", accumulation=1, suffix="", **changes):
    task, batches = DATA[model]
    settings = OPTIMIZERS[optimizer] | ({"learning_rate": PEAKS[model]} if model in PEAKS else {})
    name = f"{model}-{optimizer}-{precision}-accumulation{accumulation}{suffix}"
    return dict(name=name, model=model, task=task, batches=batches, optimizer=optimizer) | settings | dict(
        precision=precision, accumulation=accumulation, schedule="linear", warmup_steps=4, steps=STEPS,
        max_gradient_norm=1.0, label_smoothing=0.0) | changes


def all_runs():
    first = "tiny-distilbert-classifier"
    for optimizer in OPTIMIZERS:
        for precision in ("fp32", "bf16_autocast", "bf16"):
            for accumulation in (1, 4):
                yield run_of(first, optimizer, precision, accumulation)
    for model in CLASSES:
        if model != first:
            yield from (run_of(model, accumulation=accumulation) for accumulation in (1, 4))
    yield run_of(first, suffix="-unclipped-constant", max_gradient_norm=None, schedule="constant", warmup_steps=0)
    yield run_of(first, suffix="-cosine", schedule="cosine")
    yield run_of(first, "adafactor", suffix="-decay", weight_decay=0.01)
    for model, accumulation in ((first, 1), ("tiny-bert-tagger", 4), ("tiny-gpt2", 4)):
        yield run_of(model, accumulation=accumulation, suffix="-label-smoothing", label_smoothing=0.1)


# --- Training ---


def load(run, dtype, weighted):
    folder = OUTPUT / run["model"]
    config = t.AutoConfig.from_pretrained(folder)
    for name, value in config.to_dict().items():
        if "drop" in name and (value is None or isinstance(value, (int, float))):
            setattr(config, name, 0.0)
    if run["task"] in PROBLEMS:
        config.problem_type = run["task"]
    model, info = CLASSES[run["model"]].from_pretrained(folder, config=config, attn_implementation="eager",
                                                        dtype=dtype, output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"], info
    assert all(module.p == 0 for module in model.modules() if isinstance(module, torch.nn.Dropout))
    assert model.config._attn_implementation == "eager" and {p.dtype for p in model.parameters()} == {dtype}
    if weighted and run["task"] == "causal_lm":
        model.loss_type = "ForCausalLM"  # GPT-2's has no name
    return model.train()


def decay_groups(run, model):
    decayed = set(t.Trainer.get_decay_parameter_names(None, model))
    named = list(model.named_parameters())
    assert 0 < len(decayed) < len(named)
    return [{"params": [p for name, p in named if name in decayed], "weight_decay": run["weight_decay"]},
            {"params": [p for name, p in named if name not in decayed], "weight_decay": 0.0}]


def optimizer_of(run, model, fused):
    groups = decay_groups(run, model)
    lr, betas, epsilon = run["learning_rate"], tuple(run["betas"]), run["epsilon"]
    if run["optimizer"] == "adamw":
        return torch.optim.AdamW(groups, lr=lr, betas=betas, eps=epsilon, fused=fused)
    if run["optimizer"] == "adam":
        return torch.optim.Adam(groups, lr=lr, betas=betas, eps=epsilon, fused=fused)
    if run["optimizer"] == "sgd":
        return torch.optim.SGD(groups, lr=lr, momentum=run["momentum"], fused=fused)
    return Adafactor(groups, lr=lr, eps=(epsilon, 1e-3), scale_parameter=False, relative_step=False)


def micro_batches(run, batches, step):
    count = run["accumulation"]
    chosen = [batches[run["batches"]][(step * count + j) % len(batches[run["batches"]])] for j in range(count)]
    return [{name: torch.tensor(values) for name, values in batch.items()} for batch in chosen]


def in_precision(batch, dtype):
    """Labels that are numbers, as the model's outputs are."""
    return {name: values.to(dtype) if values.is_floating_point() else values for name, values in batch.items()}


def item_count(model, micros):
    """As the Trainer counts, which knows by the name of the loss whether the model shifts labels."""
    first = 1 if LOSS_MAPPING.get(model.loss_type) is ForCausalLMLoss else 0
    count = sum((batch["labels"][..., first:] if first else batch["labels"]).ne(IGNORED).sum() for batch in micros)
    return count / 1  # a float as there, so that a sum in bf16 becomes a quotient in fp32


def weighted_loss(outputs, labels, num_items_in_batch):
    """The sum over labels by their number in the step; as the `compute_loss_func` of a Trainer."""
    if isinstance(labels, tuple):  # begin and end of answers, for which the Trainer does not count
        logits = (outputs["start_logits"], outputs["end_logits"])
        return sum(cross_entropy(x, y, reduction="sum") for x, y in zip(logits, labels)) / 2 / num_items_in_batch
    logits = outputs["logits"]
    return cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1), reduction="sum") / num_items_in_batch


def weighted_loss_of(run):
    if run["task"] not in PROBLEMS:
        return weighted_loss
    loss = PROBLEMS[run["task"]][1]

    def mean_loss(outputs, labels, num_items_in_batch):
        return loss(outputs["logits"], labels, reduction="sum") / num_items_in_batch

    return mean_loss


def micro_loss(run, model, batch, items, weighted):
    """As Trainer.training_step computes it; `items` is None where the Trainer does not count."""
    count = {} if items is None else {"num_items_in_batch": items}
    weighted = weighted and run["task"] != "causal_lm"  # the model weights them itself
    has_own_loss = weighted or run["label_smoothing"] > 0
    inputs = {name: value for name, value in batch.items() if not has_own_loss or name in FIELDS[:3]}
    products = PRODUCTS.get(run["precision"])
    with torch.autocast("cpu", dtype=products, enabled=products is not None):
        outputs = model(**inputs, **count)
    if weighted:
        is_reader = run["task"] == "question_answering"
        labels = (batch["start_positions"], batch["end_positions"]) if is_reader else batch["labels"]
        logits = {name: value if run["precision"] == "bf16" else value.to(next(model.parameters()).dtype)
                  for name, value in outputs.items() if name.endswith("logits")}
        return weighted_loss_of(run)(logits, labels, items)
    if has_own_loss:
        smoother = LabelSmoother(epsilon=run["label_smoothing"])
        return smoother(outputs, batch["labels"], run["task"] == "causal_lm", items)
    return outputs.loss if items is not None else outputs.loss / run["accumulation"]


def train(run, batches, dtype=None, fused=True, checkpointing=False, weighted=False):
    dtype = dtype or (torch.bfloat16 if run["precision"] == "bf16" else torch.float32)
    model = load(run, dtype, weighted)
    calls = []
    for module in model.modules():
        if not list(module.children()):
            module.register_forward_hook(lambda *_: calls.append(1))
    if checkpointing:
        model.gradient_checkpointing_enable()
    optimizer = optimizer_of(run, model, fused)
    scheduler = t.get_scheduler(run["schedule"], optimizer, run["warmup_steps"], run["steps"])
    scaler = torch.amp.GradScaler("cpu", enabled=run["precision"] == "fp16")
    result = {"loss": [], "gradient_norm": [], "learning_rates": []}
    scales = []
    sum_type = torch.float64 if dtype == torch.float64 else torch.float32
    first_gradients = {}
    for step in range(run["steps"]):
        micros = micro_batches(run, batches, step)
        if "labels" in micros[0]:
            items = item_count(model, micros)
        else:
            items = torch.tensor(float(sum(len(batch["input_ids"]) for batch in micros))) if weighted else None
        total = torch.zeros((), dtype=sum_type)
        for batch in micros:
            batch = in_precision(batch, dtype)
            loss = micro_loss(run, model, batch, items, weighted)
            scaler.scale(loss).backward()
            total += loss.detach()
        scales.append(scaler.get_scale())
        scaler.unscale_(optimizer)
        if step == 0:
            first_gradients = {name: short(p.grad.norm().item()) for name, p in model.named_parameters()
                               if p.requires_grad}
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), run["max_gradient_norm"] or float("inf"))
        result["loss"].append(short(total.item(), dtype))
        result["gradient_norm"].append(short(norm.item(), dtype))
        result["learning_rates"].append(scheduler.get_last_lr()[0])
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        model.zero_grad()
    if scaler.is_enabled():
        result["loss_scales"] = scales
    return result, first_gradients, len(calls)


def short(value, dtype=torch.float32):
    """The shortest decimal that gives back the same float32; null of what is no number."""
    if not math.isfinite(value):
        return None
    return value if dtype == torch.float64 else float(f"{value:.9g}")


class CurveTrainer(t.Trainer):
    """The Trainer on given micro-batches, with nothing else of it changed."""

    def get_train_dataloader(self):
        return torch.utils.data.DataLoader(self.train_dataset, batch_size=None, shuffle=False)


def trainer_curve(run, batches, weighted, folder):
    """The same by the Trainer, which makes optimizers of its own where it has them."""
    dtype = torch.bfloat16 if run["precision"] == "bf16" else torch.float32
    model = load(run, dtype, weighted)
    own = {"adamw": "adamw_torch_fused", "adafactor": "adafactor"}
    arguments = t.TrainingArguments(
        output_dir=folder, use_cpu=True, max_steps=run["steps"], gradient_accumulation_steps=run["accumulation"],
        learning_rate=run["learning_rate"], weight_decay=run["weight_decay"], lr_scheduler_type=run["schedule"],
        warmup_steps=run["warmup_steps"], max_grad_norm=run["max_gradient_norm"] or 0.0,
        label_smoothing_factor=run["label_smoothing"], bf16=run["precision"] == "bf16_autocast",
        optim=own.get(run["optimizer"], "adamw_torch_fused"), logging_steps=1, save_strategy="no", report_to=[],
        disable_tqdm=True)
    dataset = [batch for step in range(run["steps"]) for batch in micro_batches(run, batches, step)]
    optimizer = None if run["optimizer"] in own else optimizer_of(run, model, True)
    trainer = CurveTrainer(model, arguments, train_dataset=dataset, optimizers=(optimizer, None),
                           compute_loss_func=weighted_loss_of(run) if weighted and run["task"] != "causal_lm" else None)
    trainer.remove_callback(PrinterCallback)
    assert trainer.model_accepts_loss_kwargs
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "loss" in entry]
    return {"loss": [short(float(entry["loss"])) for entry in logs],
            "gradient_norm": [short(float(entry["grad_norm"])) for entry in logs],
            "learning_rates": [entry["learning_rate"] for entry in logs]}


def differences(a, b):
    """The largest of the losses, and of the norms in proportion to those above 1."""
    losses = max(abs(x - y) for x, y in zip(a["loss"], b["loss"]))
    assert [x is None for x in a["gradient_norm"]] == [y is None for y in b["gradient_norm"]]
    norms = [(x, y) for x, y in zip(a["gradient_norm"], b["gradient_norm"]) if x is not None]
    return losses, max(abs(x - y) / max(1.0, y) for x, y in norms)


def check_noise(run, batches, weighted, curve):
    """Returns how far other kernels of the optimizer lead in any precision, float64 in fp32."""
    others = {}
    if run["optimizer"] != "adafactor":
        others["not fused"] = train(run, batches, weighted=weighted, fused=False)[0]
    if run["precision"] == "fp32":
        others["float64"] = train(run, batches, torch.float64, weighted=weighted)[0]
    result = {name: differences(curve, other) for name, other in others.items()}
    for loss, norm in result.values():
        assert run["precision"] != "fp32" or loss < LOSS_NOISE and norm < NORM_NOISE, f"{run['name']}: {result}"
    return result


def checked_run(run, batches, weighted, folder):
    curve, first_gradients, calls = train(run, batches, weighted=weighted)
    assert (curve, first_gradients, calls) == train(run, batches, weighted=weighted), f"{run['name']}: not reproducible"
    others = []
    if CLASSES[run["model"]].supports_gradient_checkpointing:
        checkpointed, _, more_calls = train(run, batches, weighted=weighted, checkpointing=True)
        assert more_calls > calls, f"{run['name']}: nothing was checkpointed"
        others.append(checkpointed)
    # The Trainer does not count answers, and refuses fp16 on the CPU.
    if run["precision"] != "fp16" and not (weighted and run["task"] == "question_answering"):
        others.append(trainer_curve(run, batches, weighted, folder))
    for other in others:
        assert other["learning_rates"] == curve["learning_rates"] and len(other["loss"]) == run["steps"]
        assert max(differences(curve, other)) < SAME, f"{run['name']}: not the same\n{curve}\n{other}"
    noise = check_noise(run, batches, weighted, curve)
    away = ", ".join(f"{name} {loss:.1e} {norm:.1e}" for name, (loss, norm) in noise.items())
    exact = "all equal" if all(other == curve for other in others) else "not all equal"
    print(f"{run['name']:65} {curve['loss'][0]:.3f} … {curve['loss'][-1]:.3f}  {exact}, off by (loss, norm): {away}",
          flush=True)
    assert ("loss_scales" in curve) == (run["precision"] == "fp16" and len(set(curve["loss_scales"])) > 1)
    is_first = run["name"].endswith("-adamw-fp32-accumulation1")
    return run | curve | ({"first_gradients": first_gradients} if is_first else {})


def write_curves(file, runs, is_weighted):
    batches = all_batches()
    with tempfile.TemporaryDirectory() as folder:
        done = [checked_run(run, batches, is_weighted(run), folder) for run in runs]
    used = {run["batches"] for run in done}
    write_json(CURVES / file, versions() | {"batches": {name: batches[name] for name in batches if name in used},
                                            "runs": done})


def write_problem_curves():
    runs = [run_of("tiny-distilbert-classifier", accumulation=accumulation, suffix=f"-{problem}", task=problem,
                   batches=batches) for problem, (batches, _) in PROBLEMS.items() for accumulation in (1, 4)]
    write_curves("problem_curves.json", runs, lambda run: run["accumulation"] > 1)


def write_scaled_curves():
    runs = [run_of(model, optimizer, "fp16", accumulation) for model, optimizer, accumulation in SCALED]
    write_curves("scaled_curves.json", runs, lambda _: True)


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    t.utils.logging.disable_progress_bar()
    t.utils.logging.set_verbosity_error()
    CURVES.mkdir(exist_ok=True)
    write_problem_curves()
    if sys.argv[1:] == ["problem"]:
        return
    runs = list(all_runs())
    assert len({run["name"] for run in runs}) == len(runs)
    write_curves("curves.json", runs, lambda _: False)
    differing = [run for run in runs if run["model"] == "tiny-gpt2" or run["accumulation"] > 1
                 and run["task"] != "causal_lm" and run["label_smoothing"] == 0]
    write_curves("weighted_curves.json", differing, lambda _: True)
    write_scaled_curves()


if __name__ == "__main__":
    main()
