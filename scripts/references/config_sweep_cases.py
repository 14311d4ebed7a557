"""The checkpoints of config_sweep.py: for each family, what is tried with each key of its config.json.

A case is a tiny model built from `built` and saved, whose config.json then loses the keys of `removed` and gains those
of `written`. Values are those of config_sweep_values.py; keys of the class that have none there are varied by their
type.
"""

import copy
import dataclasses
import json
import typing

import transformers
from transformers.activations import ACT2CLS
from transformers.configuration_utils import PreTrainedConfig

import config_sweep_models as models
from config_sweep_values import (ACTIVATIONS, COMPANIONS, GENERATION, HEADS_OF_KEYS, MANY, ROTARY, SCALED, SIZES,
                                 SQUEEZED, UNDECLARED, VALUES, WINDOWS)

ABSENT = object()
# Keys that no model is built with: those of saving, and what only a loaded model's kernel refuses.
ONLY_WRITTEN = ("architectures", "id2label", "transformers_version", "dtype", "output_attentions")


@dataclasses.dataclass
class Case:
    """One checkpoint. `head` is the task of its class."""

    family: str
    key: str
    name: str
    built: dict = dataclasses.field(default_factory=dict)
    written: dict = dataclasses.field(default_factory=dict)
    removed: tuple = ()
    heads: tuple = ()  # those to ask; none: one of the family's, in turn
    head: str = ""
    pad: int | None = None  # ID of the tokenizer's padding token where it is not the family's own
    own_head: str = ""  # tied tensors that get values of their own: "weight", "bias" or "both"
    generation: dict | None = None
    texts: str = "plain"
    stored: str = "float32"


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 140 else text[:137] + "…"


def sizes(family):
    return {**SIZES[family], **models.special_ids(family)}


def declared(family):
    """The keys that the class declares or writes: {key: its default}."""
    config_class = transformers.CONFIG_MAPPING[family]
    fields = {field.name: field for base in (config_class, PreTrainedConfig) for field in dataclasses.fields(base)}
    written = config_class().to_dict()
    # Not what the class makes of a default, such as a head_dim of the width by the heads.
    return {key: fields[key].default if key in fields else written[key] for key in (*fields, *written)}, fields


def takes_none(field):
    annotation = getattr(field, "type", None)
    return isinstance(annotation, str) and "None" in annotation or type(None) in typing.get_args(annotation)


def values_of(key, default, tiny):
    if key in ACTIVATIONS:
        return list(ACT2CLS)
    if key in VALUES:
        return VALUES[key]
    if isinstance(default, bool):
        return [not default, default]
    if key == "vocab_size":
        return [tiny + 5, tiny + 64]
    if isinstance(default, int):
        return [(tiny or default) + 8, (tiny or default) + 16]
    if isinstance(default, float):
        return [default * 2 + 0.05, 0.0]
    return []


def built_with(family, changes):
    """`changes`, with what the original asks for beside them."""
    changes = {key: value for key, value in changes.items() if value is not ABSENT}
    if family == "squeezebert":
        changes.update({other: changes[key] for key, other in SQUEEZED.items() if key in changes})
    return changes


def of_declared(family):
    own = sizes(family)
    defaults, fields = declared(family)
    for key, default in defaults.items():
        if key in ("model_type", "label2id"):
            continue
        heads = HEADS_OF_KEYS.get(key, ())
        for value in values_of(key, default, own.get(key)):
            built = {} if key in ONLY_WRITTEN else {key: value}
            stored = value if key == "dtype" else "float32"
            if key == "id2label":
                built = {"num_labels": len(value)}
            yield Case(family, key, f"{key} = {shown(value)}", built_with(family, built), {key: value}, heads=heads,
                       stored=stored, removed=("label2id",) if key == "id2label" else ())
        companions = {k: v for k, v in COMPANIONS.get(key, {}).items() if k in own}
        built = built_with(family, {key: default, **companions}) if key in own or key in VALUES else {}
        if key == "id2label":
            built = {"num_labels": 2}
        if key in ("architectures", "problem_type", "transformers_version", "dtype", "rope_parameters"):
            built = {}
        yield Case(family, key, f"{key} absent", built, removed=(key, "label2id") if key == "id2label" else (key,),
                   heads=heads)
        if takes_none(fields.get(key)) and not key.startswith("_"):
            built = {"num_labels": 2} if key == "id2label" else {key: None} if key in own else {}
            yield Case(family, key, f"{key} = null", built, {key: None}, heads=heads)


def of_padding(family):
    """The padding token: the same in config.json and the tokenizer, in one alone, and inside a text."""
    own, spare = sizes(family)["pad_token_id"], models.spare_id(family)
    for heads in (("sequence_classification",), ("masked_lm", "causal_lm")):
        for value in (spare, 0 if own else 2):
            yield Case(family, "pad_token_id", f"pad_token_id = {value}, the tokenizer's too", {"pad_token_id": value},
                       {"pad_token_id": value}, pad=value, heads=heads)
        for value in (spare, 0 if own else 2):
            yield Case(family, "pad_token_id", f"pad_token_id = {value}, not the tokenizer's", {"pad_token_id": value},
                       {"pad_token_id": value}, heads=heads)
        yield Case(family, "pad_token_id", "texts that hold the padding token", heads=heads, texts="padding")
        yield Case(family, "pad_token_id", "pad_token_id absent, texts that hold the padding token", heads=heads,
                   texts="padding", removed=("pad_token_id",))
        yield Case(family, "pad_token_id", "pad_token_id = null, texts that hold the padding token", heads=heads,
                   texts="padding", written={"pad_token_id": None})
        yield Case(family, "pad_token_id", "pad_token_id = -1", heads=heads, written={"pad_token_id": -1})


def of_heads(family):
    lm = tuple(head for head in models.heads(family) if head.endswith("_lm"))
    for tensors in ("weight", "bias", "both"):
        if tensors != "weight" and not models.has_tied_bias(family):
            continue
        for value in (True, False, ABSENT):
            name = "absent" if value is ABSENT else f"= {shown(value)}"
            yield Case(family, "tie_word_embeddings", f"tie_word_embeddings {name}, a {tensors} of the head's own",
                       heads=lm, own_head=tensors, written={} if value is ABSENT else {"tie_word_embeddings": value},
                       removed=("tie_word_embeddings",) if value is ABSENT else ())
    yield Case(family, "tie_word_embeddings", "tie_word_embeddings true in the file of an untied model",
               {"tie_word_embeddings": False}, {"tie_word_embeddings": True}, heads=lm)
    yield Case(family, "tie_word_embeddings", "tie_word_embeddings false in the file of a tied model",
               {"tie_word_embeddings": True}, {"tie_word_embeddings": False}, heads=lm)
    for problem in VALUES["problem_type"]:
        for count in (1, 2, 4):
            yield Case(family, "problem_type", f"problem_type = {problem}, num_labels = {count}",
                       {"num_labels": count}, {"problem_type": problem}, heads=("sequence_classification",))
    yield Case(family, "id2label", "id2label absent, num_labels = 4", {"num_labels": 4}, {"num_labels": 4},
               removed=("id2label", "label2id"), heads=("sequence_classification", "token_classification"))
    yield Case(family, "id2label", "id2label of 3, num_labels = 4", {}, {"num_labels": 4},
               heads=("sequence_classification",))
    yield Case(family, "id2label", "id2label in another order", {}, {"id2label": {"2": "c", "0": "a", "1": "b"}},
               heads=("sequence_classification", "token_classification"))
    yield Case(family, "id2label", "id2label that is no row of numbers", {},
               {"id2label": {"1": "a", "2": "b", "5": "c"}}, heads=("sequence_classification",))
    yield Case(family, "label2id", "label2id without id2label", {}, {"label2id": {"x": 0, "y": 1, "z": 2}},
               removed=("id2label",), heads=("sequence_classification",))


def of_undeclared(family):
    known, _ = declared(family)
    aliases = transformers.CONFIG_MAPPING[family].attribute_map
    for key, values in UNDECLARED.items():
        if key in known or key in aliases:
            continue
        if key in GENERATION and "causal_lm" not in models.heads(family):
            continue
        for value in values:
            yield Case(family, key, f"{key} = {shown(value)}, undeclared", written={key: value},
                       heads=("causal_lm",) if key in GENERATION else HEADS_OF_KEYS.get(key, ()))
    for alias, key in aliases.items():
        value = sizes(family).get(key)
        if value is not None:
            yield Case(family, alias, f"{alias} for {key}", written={alias: value}, removed=(key,))
            yield Case(family, alias, f"{alias} beside another {key}", {key: VALUES[key][0]},
                       written={key: VALUES[key][0], alias: value})
            yield Case(family, alias, f"another {alias} beside {key}", written={alias: VALUES[key][0]})


def of_generation(family):
    if "causal_lm" not in models.heads(family):
        return
    own = sizes(family)["eos_token_id"]
    for key, values in GENERATION.items():
        for value in values:
            yield Case(family, "generation_config.json", f"generation_config.json: {key} = {shown(value)}",
                       heads=("causal_lm",), generation={"eos_token_id": own, key: value})
    for key, value in (("min_length", 12), ("min_new_tokens", 6), ("stop_strings", ["e"])):
        yield Case(family, "generation_config.json", f"generation_config.json: {key} = {value}, eos_token_id of many",
                   heads=("causal_lm",), generation={key: value, "eos_token_id": MANY})
    yield Case(family, "generation_config.json", "generation_config.json without eos_token_id",
               heads=("causal_lm",), generation={})
    for name, other in (("12", 12), ("absent", ABSENT), ("null", None)):
        yield Case(family, "generation_config.json", f"generation_config.json: eos_token_id = 11, config.json: {name}",
                   heads=("causal_lm",), generation={"eos_token_id": 11},
                   written={} if other is ABSENT else {"eos_token_id": other},
                   removed=("eos_token_id",) if other is ABSENT else ())


def of_rotation(family):
    if family not in ROTARY:
        return
    half = (sizes(family).get("head_dim") or 8) // 2
    factors = {"short": [1.0 + 0.1 * i for i in range(half)], "long": [1.5 + 0.5 * i for i in range(half)]}
    for entry in SCALED:
        value = {k: factors.get(v, v) if isinstance(v, str) else v for k, v in copy.deepcopy(entry).items()}
        name = shown(entry)
        yield Case(family, "rope_parameters", f"rope_parameters = {name}",
                   written={"rope_parameters": {"rope_theta": 1000.0, **value}})
        yield Case(family, "rope_parameters", f"rope_parameters without theta = {name}",
                   written={"rope_parameters": value})
        yield Case(family, "rope_scaling", f"rope_scaling = {name}, rope_theta = 500", removed=("rope_parameters",),
                   written={"rope_scaling": value, "rope_theta": 500.0})
        yield Case(family, "rope_scaling", f"rope_scaling = {name} beside rope_parameters",
                   written={"rope_scaling": value, "rope_parameters": {"rope_type": "linear", "factor": 5.0,
                                                                       "rope_theta": 100.0}})
        if value.get("rope_type") in ("yarn", "llama3", "longrope"):
            yield Case(family, "original_max_position_embeddings",
                       f"rope_parameters = {name}, original_max_position_embeddings = 20 beside",
                       written={"rope_parameters": {"rope_theta": 1000.0, **value},
                                "original_max_position_embeddings": 20})
    for extra in ({"rope_theta": 500.0}, {"rope_theta": 500}, {"partial_rotary_factor": 0.5},
                  {"rope_theta": 500.0, "partial_rotary_factor": 0.5}, {"rope_scaling": None, "rope_theta": 500.0},
                  {"rope_theta": None}, {"rope_parameters": None, "rope_theta": 500.0}):
        yield Case(family, "rope_theta", f"{shown(extra)} beside rope_parameters", written=extra)
        yield Case(family, "rope_theta", f"{shown(extra)} without rope_parameters", written=extra,
                   removed=("rope_parameters",))


def of_windows(family):
    if family not in ROTARY:
        return
    for window in WINDOWS:
        yield Case(family, "sliding_window", shown(window), written=window, removed=("layer_types",),
                   heads=("sequence_classification", "causal_lm"))
    for key in ("attention_bias", "mlp_bias", "qkv_bias"):
        yield Case(family, key, f"{key} = true and its tensors", {key: True}, {key: True})


def of_defaults(family):
    for head in models.heads(family):
        yield Case(family, "(defaults)", f"the defaults, {head}", heads=(head,))
        yield Case(family, "(defaults)", f"the defaults with every key in the file, {head}", heads=(head,),
                   written={"*": "all"})
        yield Case(family, "architectures", f"architectures absent, {head}", heads=(head,), removed=("architectures",))


def cases_of(family, all_heads=False):
    """All cases of a family, each with its head; cases that name no heads take the family's in turn."""
    heads = [head for head in models.heads(family) if head != "embedding"]
    turn = 0
    parts = (of_defaults, of_declared, of_padding, of_heads, of_undeclared, of_generation, of_rotation, of_windows)
    for part in parts:
        for case in part(family):
            wanted = [head for head in case.heads if head in (*heads, "embedding")]
            if case.heads and not wanted and case.key in ("tie_word_embeddings", "(defaults)"):
                continue
            if not wanted:
                wanted = [heads[turn % len(heads)]]
                turn += 1
            for head in heads if all_heads and not case.heads else wanted:
                yield dataclasses.replace(case, head=head)
