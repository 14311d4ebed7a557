// Counted by the mask, where the model does.
#include "model/token_positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

namespace transformeter {

at::Tensor token_positions(const ModelInputs& inputs, bool skips_padding, std::int64_t before) {
  if (inputs.is_packed()) return inputs.rows.positions;
  if (inputs.positions.defined()) return inputs.positions;
  const std::int64_t seen = before + inputs.input_ids.size(1);
  if (!skips_padding || !inputs.token_mask.defined()) {
    return at::arange(before, seen, inputs.input_ids.options()).unsqueeze(0);
  }
  const at::Tensor mask = inputs.token_mask.to(at::kLong);
  return (mask.cumsum(1) * mask - 1).slice(1, before);
}

}  // namespace transformeter
