"""ONNX Runtime: exported, fused by its transformer optimizer; int8 by dynamic quantisation, weights per channel."""
from __future__ import annotations

import pathlib

from peers import checkpoints
from peers.engines.base import Engine, Job, NotThere, Runner

_FLOAT = 1  # onnx.TensorProto.FLOAT: of values behind fused nodes, which shape inference does not know


class _Logits:
    """A module with tensors as outputs, which is what an export wants."""

    def __new__(cls, model):
        import torch

        class Wrapped(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, input_ids, attention_mask):
                output = self.model(input_ids=input_ids, attention_mask=attention_mask)
                if hasattr(output, "logits"):
                    return output.logits
                return torch.stack((output.start_logits, output.end_logits), -1)

        return Wrapped().eval()


def _export(job: Job, path: pathlib.Path) -> None:
    import torch

    model = _Logits(checkpoints.load(job.workload.model, job.checkpoint, attention="eager"))
    ids = torch.randint(5, 1000, (2, 16))
    torch.onnx.export(model, (ids, torch.ones_like(ids)), str(path), input_names=["input_ids", "attention_mask"],
                      output_names=["logits"], dynamic_axes={name: {0: "batch", 1: "tokens"}
                                                             for name in ("input_ids", "attention_mask")},
                      opset_version=17, dynamo=False)


def _optimise(job: Job, source: pathlib.Path, target: pathlib.Path) -> None:
    from onnxruntime.transformers import optimizer
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(job.checkpoint)
    model = optimizer.optimize_model(str(source), model_type="bert", num_heads=config.num_attention_heads,
                                     hidden_size=config.hidden_size, opt_level=1, only_onnxruntime=False)
    fused = model.get_fused_operator_statistics()
    if not fused.get("Attention") and not fused.get("MultiHeadAttention"):
        raise NotThere(f"its optimizer fused no attention of this export: {fused}")
    model.save_model_to_file(str(target))


class OnnxRunner(Runner):
    def __init__(self, path: pathlib.Path, threads: int):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Threads spin within a run, which is faster, and sleep after it, for the engine whose turn is next.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.settings = {"intra_op_num_threads": threads, "optimizer": "onnxruntime.transformers"}

    def run(self, batch):
        return self._session.run(None, {"input_ids": batch.ids, "attention_mask": batch.mask})[0]


class OnnxRuntime(Engine):
    name = "onnxruntime"
    packages = ("onnxruntime", "onnx")

    def why_not(self, workload, precision):
        if precision == "bf16":
            return "no bf16 kernels on CPU"
        if workload.is_generation:
            return "not part of this comparison: exporting a decoder with its cache was not tried"
        return None

    @staticmethod
    def _path(job: Job, precision: str) -> pathlib.Path:
        return job.artefacts / f"{job.workload.model}-{precision}.onnx"

    def prepare(self, job):
        optimised = self._path(job, "fp32")
        if not optimised.exists():
            exported = job.artefacts / f"{job.workload.model}-exported.onnx"
            _export(job, exported)
            _optimise(job, exported, optimised)
        quantised = self._path(job, "int8")
        if job.precision == "int8" and not quantised.exists():
            from onnxruntime.quantization import QuantType, quantize_dynamic

            quantize_dynamic(str(optimised), str(quantised), per_channel=True, weight_type=QuantType.QInt8,
                             extra_options={"MatMulConstBOnly": True, "DefaultTensorType": _FLOAT})

    def load(self, job, inputs):
        return OnnxRunner(self._path(job, job.precision), job.threads)
