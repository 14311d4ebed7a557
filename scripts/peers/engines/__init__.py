"""The peers, each in a file of its own behind `base.Engine`."""
from __future__ import annotations

from peers.engines.base import Engine
from peers.engines.ctranslate import CTranslate
from peers.engines.huggingface import HuggingFace
from peers.engines.onnx_runtime import OnnxRuntime
from peers.engines.open_vino import OpenVino
from peers.engines.torch_compile import TorchCompile


def all_engines() -> dict[str, Engine]:
    engines = (HuggingFace("eager"), HuggingFace("sdpa"), TorchCompile(), OnnxRuntime(), OpenVino("openvino"),
               OpenVino("openvino-mixed", rest_of_int8="bf16"), OpenVino("openvino-streams", streams=2), CTranslate())
    return {engine.name: engine for engine in engines}
