// Gradient checkpointing (Chen et al. 2016, arXiv:1604.06174): what a layer needs for its gradients is computed again
// in the backward pass and not kept until then.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace transformeter {

/// `beside` is a second input with a gradient; it may be undefined.
using CheckpointedRun = std::function<at::Tensor(const at::Tensor& input, const at::Tensor& beside)>;

/// run(input, beside), of which nothing is kept but these two. The backward pass runs it a second time, with the random
/// numbers and the automatic casting of the first, and gives the same gradients to both and to all weights that `run`
/// reads, also where neither of both needs one. Other tensors that `run` reads must have no gradient; what it borrows
/// must live until then.
at::Tensor checkpointed(const CheckpointedRun& run, const at::Tensor& input, const at::Tensor& beside = {});

}  // namespace transformeter
