// Once a weight, when a model is loaded.
#include "model/int8_channels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include "machine/cpu_features.h"
#include "schema/linear_types.h"

namespace transformeter {

Int8Channels quantize_channels(const at::Tensor& weight, double largest) {
  const at::Tensor wide = weight.to(at::kFloat);
  const at::Tensor scales = wide.abs().amax(1) / largest;
  const at::Tensor divisors = at::where(scales > 0, scales, at::ones_like(scales));
  return {(wide / divisors.unsqueeze(1)).round().clamp(-largest, largest).to(at::kChar).contiguous(), scales};
}

double largest_int8_weight() {
  static const bool kIsWhole = has_native_int8(read_cpu_description(SystemFiles()));
  return kIsWhole ? 127 : 64;
}

bool is_worth_int8(const LinearWeights& weights) {
  return weights.weight.size(0) >= kSmallestInt8Side && weights.weight.size(1) >= kSmallestInt8Side;
}

}  // namespace transformeter
