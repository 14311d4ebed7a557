// What a comparison of trainings stands on: the losses of their first texts before any step.
#pragma once

#include <functional>

#include "measure/parts.h"
#include "measure/training.h"
#include "schema/outputs.h"
#include "train/trainer.h"

namespace transformeter {

/// Of each text, and of each target that it has, one value: the mean loss of its labels in nats, of a transcript its
/// loss, of an image and its caption theirs among the pairs of their batch, as the trainer's forward pass gives it with
/// the present weights, but for dropout and label smoothing. The first texts of the loader, or those named among its
/// first 64 batches. `alive` is called after each batch.
Outputs first_losses(const Training& training, const Trainer& trainer, const OutputRequest& request,
                     const std::function<void()>& alive);

/// Gives a training that is over its compared_weights, and forgets its gradients. Adapters, which begin with nothing to
/// add, get values that cancel out with their matrices' (cancel_adapters), so that a fault in them shows.
void reset_weights(Training& training, const WorkerParts& parts);

}  // namespace transformeter
