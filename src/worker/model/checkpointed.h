// Gradient checkpointing (Chen et al. 2016, arXiv:1604.06174): what a layer needs for its gradients is computed again
// in the backward pass and not kept until then.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace transformeter {

/// run(input), of which nothing is kept but the input. The backward pass runs it a second time, with the random numbers
/// and the automatic casting of the first, and gives the same gradients to the input and to all weights that `run`
/// reads. What `run` borrows must live until then.
at::Tensor checkpointed(const std::function<at::Tensor(const at::Tensor&)>& run, const at::Tensor& input);

}  // namespace transformeter
