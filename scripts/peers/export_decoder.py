"""Converts a causal language model with its cache for OpenVINO, as Optimum does it.

Runs in an environment of its own, because Optimum wants an older Transformers than the peers here are measured with.
Usage: python export_decoder.py CHECKPOINT FOLDER fp32|int8
"""
from __future__ import annotations

import sys


def main() -> None:
    from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig

    checkpoint, folder, precision = sys.argv[1:]
    quantisation = OVWeightQuantizationConfig(bits=8, sym=True) if precision == "int8" else None
    model = OVModelForCausalLM.from_pretrained(checkpoint, export=True, compile=False, use_cache=True,
                                               quantization_config=quantisation, load_in_8bit=False)
    model.save_pretrained(folder)


if __name__ == "__main__":
    main()
