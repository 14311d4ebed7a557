// Linear layers in training: each product of a layer, forward and backward, runs on the kernel that is fastest for it.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/linear_factories.h"
#include "engine/training_products.h"

namespace transformeter {

/// LibTorch's kernels until they are settled, and for products of other types than `type`.
class TrainedLinears final : public LinearFactory {
 public:
  /// Of products, autocast's too: fp32 or bf16. Those of bf16 are computed in fp32 from values of bf16 and rounded to
  /// bf16: what bf16's own instructions do, where a processor has none. Gradients of weights in fp32 stay unrounded.
  explicit TrainedLinears(c10::ScalarType type) : type_(type) {}

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override;

  /// Tries each part for each size of weights on inputs of that many rows, at most 2,048, if `kept`, which may be null,
  /// does not know it; `kernel`: "auto", "trial", or "onednn", which takes oneDNN's for all without a trial. Weights
  /// with fewer than 16 inputs or outputs stay with LibTorch's.
  std::vector<SettledProduct> settle(std::int64_t rows, const std::string& kernel, KeptProducts* kept) const;

 private:
  struct Layer {
    LinearWeights weights;
    std::shared_ptr<TrainingProducts> products;
  };
  c10::ScalarType type_;
  mutable std::vector<Layer> layers_;  // until they are settled
};

}  // namespace transformeter
