// Kernels for training, all with gradients.
#pragma once

#include <memory>
#include <string>

#include "model/linear.h"
#include "model/operators.h"

namespace transformeter {

struct TrainingOperatorOptions {
  std::string attention = "sdpa";
  /// Dropout without a mask, and with attention "sdpa" attention with dropout in one kernel
  /// (engine/dropped_attention.h), each of our own and on the CPU alone. Where this processor has no products in bf16
  /// that one computes them in fp32, without dropout too.
  bool fused = false;
  bool on_gpu = false;
  /// Of that kernel's 16-bit products: whether they are faster in fp32 is tried, for each kind of inputs.
  bool tries_widening = false;
};

/// As make_operators.
std::unique_ptr<Operators> make_training_operators(const TrainingOperatorOptions& options);

/// LibTorch's. `fused`, on the CPU: TrainedLinears of fp32 or, in other precisions, of bf16 (engine/trained_linear.h).
std::shared_ptr<const LinearFactory> make_training_linears(const std::string& precision, bool fused,
                                                           bool on_gpu = false);

}  // namespace transformeter
