#!/usr/bin/env python3
"""Writes ONNX and OpenVINO files of a tiny model, which tests hold to the model's own references.

    graph_file_reference.py         tests/data/models/tiny-distilbert-classifier/{model.onnx,openvino_model.xml,.bin}
    graph_file_reference.py small   model_int8.onnx beside it, made of model.onnx; tests/data/models/fixed-size.onnx

Exported as Transformers' users do it: by torch.onnx.export, then converted by OpenVINO, or quantized by ONNX Runtime.
Not run by the build or by CI: the files it writes are committed. Needs the environment of model_reference.py, and

    pip install onnx==1.23.2 onnxscript==0.7.2 openvino==2026.4.1 onnxruntime==1.31.1

of which `small` needs onnx and onnxruntime alone.
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/data/models/tiny-distilbert-classifier"


def export() -> None:
    import openvino
    import torch
    import transformers

    class Logits(torch.nn.Module):
        """A tensor as output, which is what an export wants."""

        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    model = transformers.AutoModelForSequenceClassification.from_pretrained(FOLDER, attn_implementation="eager")
    names = ["input_ids", "attention_mask"]
    ids = torch.randint(5, 90, (2, 8))
    torch.onnx.export(Logits(model).eval(), (ids, torch.ones_like(ids)), FOLDER / "model.onnx", input_names=names,
                      output_names=["logits"], opset_version=17, dynamo=False,
                      dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names})
    openvino.save_model(openvino.convert_model(FOLDER / "model.onnx"), FOLDER / "openvino_model.xml",
                        compress_to_fp16=False)


def write_small() -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(FOLDER / "model.onnx", FOLDER / "model_int8.onnx", per_channel=True, weight_type=QuantType.QInt8)
    tensor, number = onnx.helper.make_tensor_value_info, onnx.TensorProto
    graph = onnx.helper.make_graph([onnx.helper.make_node("Cast", ["input_ids"], ["logits"], to=number.FLOAT)], "fixed",
                                   [tensor("input_ids", number.INT64, [2, 2])], [tensor("logits", number.FLOAT, [2, 2])])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8),
              FOLDER.parent / "fixed-size.onnx")


if __name__ == "__main__":
    write_small() if sys.argv[1:] == ["small"] else export()
