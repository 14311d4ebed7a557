"""What the scripts of this folder write of learning: losses and gradient norms of steps, gradients of a first batch,
and a loss that tells where values are dropped. Imported by them."""

import contextlib

import torch
import transformers as t

from vision_reference import losses_and_norms

STEPS, WEIGHT_DECAY = 20, 0.01
LOSS_NOISE = 5e-6  # in proportion: within which fp32 follows float64


def curve(model, batches, loss_of, learning_rate, autocast=False):
    """Losses and gradient norms of steps of AdamW, clipped to 1, over the batches in turn; products in bfloat16 if
    asked. Weights decay as in Transformers' Trainer."""
    decayed = set(t.Trainer.get_decay_parameter_names(None, model))
    assert not any("relative_attention_bias" in name for name in decayed)  # a table of biases
    groups = [{"params": [p for n, p in model.named_parameters() if (n in decayed) == decays],
               "weight_decay": WEIGHT_DECAY if decays else 0.0} for decays in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=learning_rate, fused=True)

    def loss_at(step):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            return loss_of(model, batches[step % len(batches)])

    return losses_and_norms(model, optimizer, loss_at, STEPS)


def gradients_of(model, loss, unread=()):
    """Of each weight the gradient's norm, and its product with cos 0, cos 1, …, which no other order of its numbers has.
    `unread`: ends of names of weights that learn nothing."""
    loss.backward()
    result = {"loss": loss.detach().reshape(1)}
    for name, parameter in model.named_parameters():
        if name.endswith(tuple(unread)):
            assert parameter.grad is None
            continue
        gradient = parameter.grad.flatten()
        product = gradient @ torch.arange(gradient.numel(), dtype=torch.float64).cos()
        result[f"gradient.{name}"] = torch.stack([gradient.norm(), product])
    return result


@contextlib.contextmanager
def patterned_dropout(drops=lambda share: share > 0):
    """Meanwhile dropout drops the same share of the same places each time: x · (1 + ½ cos place). So a loss tells where a
    model calls it, with a share of which `drops` is true."""
    original = torch.nn.functional.dropout

    def patterned(values, p=0.5, training=True, inplace=False):
        places = torch.arange(values.numel(), dtype=torch.float64).view(values.shape)
        return values * (1 + 0.5 * places.cos()) if training and drops(p) else values

    torch.nn.functional.dropout = patterned
    try:
        yield
    finally:
        torch.nn.functional.dropout = original


def check_noise(found, exact, most):
    """That fp32 follows float64 to `most`, in proportion to what is above 1."""
    worst = max(abs(a - b) / max(1, b) for a, b in zip(found, exact))
    assert worst < most, worst


def learnt(learner, loss_of, batches, learning_rate, unread=(), norm_noise=2e-5):
    """What a curve.safetensors holds but for its inputs: of steps in fp32 and autocast, and of the first batch in float64.
    `learner(dtype)` makes a model that has learnt nothing yet;
    `norm_noise`: how far norms in fp32 may be from those in float64, in proportion."""
    def run(dtype, autocast=False):
        return curve(learner(dtype), batches, loss_of, learning_rate, autocast)

    losses, norms = run(torch.float32)
    assert (losses, norms) == run(torch.float32), "a second run differs"
    exact_losses, exact_norms = run(torch.float64)
    check_noise(losses, exact_losses, LOSS_NOISE)
    check_noise(norms, exact_norms, norm_noise)
    narrow_losses, _ = run(torch.float32, autocast=True)
    model = learner(torch.float64)
    first = gradients_of(model, loss_of(model, batches[0]), unread)
    return {"losses": torch.tensor(losses), "norms": torch.tensor(norms),
            "bf16_autocast_losses": torch.tensor(narrow_losses)} | {key: value.float() for key, value in first.items()}


def print_summary(name, written):
    losses, dropped = written["losses"], written["dropped_loss"].item()
    print(f"{name:18} loss {losses[0]:.3f} to {losses[-1]:.3f}, {dropped:.3f} with dropout")
