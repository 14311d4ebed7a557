// Linear layers in training: each product of a layer, forward and backward, runs on the kernel that is fastest for it.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/linear_factories.h"
#include "engine/training_products.h"

namespace transformeter {

/// What layers choose from.
struct TrainingKernels {
  c10::ScalarType type;             // of products, autocast's too: fp32 or bf16
  std::vector<TrainingKernel> all;  // the usual one first
  TrainingKernel one_dnn;           // oneDNN's own

  /// `has_narrow`: oneDNN has products of bf16 for this processor. LibTorch's are hopeless without.
  static TrainingKernels of(c10::ScalarType type, bool has_narrow);
};

/// The usual kernels until they are settled, and LibTorch's for products of other types. Widened products of bf16 are
/// those of its own instructions: of values of bf16, summed in fp32 and rounded to bf16. Gradients of weights in fp32
/// stay unrounded. Of a frozen weight, one without requires_grad, neither a gradient is computed nor the input kept.
class TrainedLinears final : public LinearFactory {
 public:
  explicit TrainedLinears(TrainingKernels kernels) : kernels_(std::move(kernels)) {}

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override;

  /// Tries each part for each size of weights on inputs of that many rows, at most 2,048, if `kept`, which may be null,
  /// does not know it; `kernel`: "auto", "trial", or "onednn", which takes oneDNN's for all without a trial. Weights
  /// with fewer than 16 inputs or outputs stay with the usual ones.
  std::vector<SettledProduct> settle(std::int64_t rows, const std::string& kernel, KeptProducts* kept) const;

 private:
  struct Layer {
    LinearWeights weights;
    std::shared_ptr<TrainingProducts> products;
  };
  TrainingKernels kernels_;
  mutable std::vector<Layer> layers_;  // until they are settled
};

}  // namespace transformeter
