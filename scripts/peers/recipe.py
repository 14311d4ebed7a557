"""How every arm trains: the same for our worker, the plain loop and the Trainer."""
from __future__ import annotations

LEARNING_RATE = 5e-5  # constant
WEIGHT_DECAY = 0.0
MAX_GRADIENT_NORM = 1.0
GRADIENT_ACCUMULATION = 1
# The optimizer is AdamW with PyTorch's defaults; dropout is the configuration's.
