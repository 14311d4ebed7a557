#!/usr/bin/env python3
"""Writes tests/data/models/config_keys.json: for each family the keys of config.json that Transformers reads.

They are the attributes of `config` (also as getattr) in the family's modeling file, in the files that all models share
and in the family's configuration class. A test asks that each of them is obeyed or refused by name. Not run by the build: the file is
committed. It needs transformers==5.23.0 alone, and no torch.
"""

import ast
import importlib.metadata
import importlib.util
import json
import pathlib

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "models" / "config_keys.json"
PACKAGE = pathlib.Path(importlib.util.find_spec("transformers").origin).parent

FAMILIES = {
    "bert": "bert", "roberta": "roberta", "xlm-roberta": "xlm_roberta", "camembert": "camembert",
    "distilbert": "distilbert", "squeezebert": "squeezebert", "albert": "albert", "electra": "electra", "gpt2": "gpt2",
    "opt": "opt", "llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "mistral": "mistral",
    "gemma3_text": "gemma3", "mpnet": "mpnet", "t5": "t5", "mt5": "mt5", "phi3": "phi3", "vit": "vit", "deit": "deit",
    "clip": "clip", "clip_text_model": "clip", "clip_vision_model": "clip",
    "siglip": "siglip", "siglip_text_model": "siglip", "siglip_vision_model": "siglip", "wav2vec2": "wav2vec2", "hubert": "hubert",
}
# Of the files that all models share, what these families call.
SHARED = {
    "modeling_layers.py": ("GenericFor",),
    "cache_utils.py": ("",),
    "masking_utils.py": ("create_causal_mask", "create_bidirectional_mask", "create_sliding_window_causal_mask",
                         "_preprocess_mask_arguments"),
}
CLIP_LAYERS = ("CLIPAttention", "CLIPMLP", "CLIPEncoder")
SIGLIP_LAYERS = ("SiglipAttention", "SiglipMLP", "SiglipEncoder")
# Classes of a file that holds another family too.
PARTS = {"clip": ("CLIPModel", "CLIPConfig"), "clip_text_model": ("CLIPText", *CLIP_LAYERS),
         "clip_vision_model": ("CLIPVision", *CLIP_LAYERS),
         "siglip": ("SiglipModel", "SiglipConfig"), "siglip_text_model": ("SiglipText", *SIGLIP_LAYERS),
         "siglip_vision_model": ("SiglipVision", "SiglipMultihead", *SIGLIP_LAYERS),
         "gemma3_text": ("Gemma3Text", "Gemma3MLP", "Gemma3RMSNorm", "Gemma3RotaryEmbedding", "Gemma3Attention",
                         "Gemma3DecoderLayer", "Gemma3ForCausalLM")}
ROTARY = {"modeling_rope_utils.py": ("_compute_", "RotaryEmbeddingConfigMixin")}
METHODS = {"standardize_rope_params", "get_text_config", "validate_rope", "nested_rope_parameter_keys"}


def is_config(node):
    if isinstance(node, ast.Name):
        return node.id in ("config", "text_config")
    return isinstance(node, ast.Attribute) and node.attr in ("config", "text_config")


def reads(path, parts=("",)):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if parts == ("",) or getattr(node, "name", " ").startswith(parts)]
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and is_config(node.value):
            names.add(node.attr)
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")
                and len(node.args) > 1 and is_config(node.args[0]) and isinstance(node.args[1], ast.Constant)):
            names.add(node.args[1].value)
    return names


def declared(path, parts=("",)):
    """Fields of the configuration classes, and what their methods read of themselves."""
    fields, own = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name.startswith(parts):
            fields |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            own.add(node.attr)
    return fields, own


def main():
    base, _ = declared(PACKAGE / "configuration_utils.py")
    families = {}
    for family, folder in FAMILIES.items():
        model = PACKAGE / "models" / folder
        parts = PARTS.get(family, ("",))
        fields, own = declared(model / f"configuration_{folder}.py", parts)
        modeling = model / f"modeling_{folder}.py"
        names = reads(modeling, parts)
        rotary = ROTARY if "modeling_rope_utils" in modeling.read_text(encoding="utf-8") else {}
        for file, parts in {**SHARED, **rotary}.items():
            names |= reads(PACKAGE / file, parts)
        names -= METHODS
        families[family] = {
            "reads": sorted(name for name in names | (own & fields) if not name.startswith("_") or name in fields),
            "declares": sorted(fields | base),
        }
    OUTPUT.write_text(json.dumps({"made_by": f"transformers {importlib.metadata.version('transformers')}",
                                  "families": families}, indent=1) + "\n")


if __name__ == "__main__":
    main()
