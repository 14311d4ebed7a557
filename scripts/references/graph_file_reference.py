#!/usr/bin/env python3
"""Writes ONNX and OpenVINO files of a tiny model, which tests hold to the model's own references.

    graph_file_reference.py         tests/data/models/tiny-distilbert-classifier/{model.onnx,openvino_model.xml,.bin}

Exported as Transformers' users do it: by torch.onnx.export, then converted by OpenVINO. Not run by the build or by CI:
the files it writes are committed. Needs the environment of model_reference.py, and

    pip install onnx==1.23.2 onnxscript==0.7.2 openvino==2026.4.1
"""
import pathlib

import openvino
import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/data/models/tiny-distilbert-classifier"


class Logits(torch.nn.Module):
    """A tensor as output, which is what an export wants."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def main() -> None:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(FOLDER, attn_implementation="eager")
    names = ["input_ids", "attention_mask"]
    ids = torch.randint(5, 90, (2, 8))
    torch.onnx.export(Logits(model).eval(), (ids, torch.ones_like(ids)), FOLDER / "model.onnx", input_names=names,
                      output_names=["logits"], opset_version=17, dynamo=False,
                      dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names})
    openvino.save_model(openvino.convert_model(FOLDER / "model.onnx"), FOLDER / "openvino_model.xml",
                        compress_to_fp16=False)


if __name__ == "__main__":
    main()
