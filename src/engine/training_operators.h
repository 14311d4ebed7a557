// The kernels of a training: all have gradients.
#pragma once

#include <memory>
#include <string>

#include "model/operators.h"

namespace transformeter {

/// As make_operators. `fused`: dropout without a mask, and with attention "sdpa" attention with dropout in one kernel
/// (engine/dropped_attention.h), each of our own and on the CPU alone.
std::unique_ptr<Operators> make_training_operators(const std::string& attention, bool fused, bool on_gpu = false);

}  // namespace transformeter
