// What training kernels save for the backward pass, for the memory forecast.
#pragma once

#include <string>

#include "spec/training_memory.h"

namespace transformeter {

/// Of make_training_operators and make_training_linears on the CPU; `needed_tokens`: the last layer leaves out what no
/// output depends on.
SavedForBackward saved_for_backward(const std::string& attention, bool fused, bool needed_tokens);

}  // namespace transformeter
