"""The peers, each in a file of its own behind `base.Engine` or `base.TrainingEngine`."""
from __future__ import annotations

from peers.engines.base import Peer
from peers.engines.ctranslate import CTranslate
from peers.engines.hf_trainer import HfTrainer
from peers.engines.huggingface import HuggingFace
from peers.engines.onnx_runtime import OnnxRuntime
from peers.engines.open_vino import OpenVino
from peers.engines.torch_compile import TorchCompile
from peers.engines.torch_loop import TorchLoop


def all_engines() -> dict[str, Peer]:
    engines = (HuggingFace("eager"), HuggingFace("sdpa"), TorchCompile(), OnnxRuntime(), OpenVino("openvino"),
               OpenVino("openvino-mixed", rest_of_int8="bf16"), OpenVino("openvino-streams", streams=2), CTranslate(),
               TorchLoop("torch-loop", "sdpa"), TorchLoop("torch-loop-eager", "eager"), HfTrainer("hf-trainer"),
               HfTrainer("hf-trainer-padded", padded_to=128))
    return {engine.name: engine for engine in engines}
