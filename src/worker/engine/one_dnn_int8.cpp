// The quantised linear takes unsigned bytes: with signed ones it falls back to a reference product, seen to be a
// thousand times slower on a processor with VNNI.
#include "engine/one_dnn_int8.h"

#include <ATen/core/List.h>
#include <ATen/ops/zeros.h>

#include <string_view>

#include "engine/dispatched_operator.h"

namespace transformeter {
namespace {

using Prepack = at::Tensor(at::Tensor weight, std::optional<c10::List<std::int64_t>> input_shape);
using Scalars = c10::List<std::optional<at::Scalar>>;
using Pointwise = at::Tensor(at::Tensor input, double input_scale, std::int64_t input_zero_point, at::Tensor weight,
                             at::Tensor weight_scales, at::Tensor weight_zero_points, std::optional<at::Tensor> bias,
                             double output_scale, std::int64_t output_zero_point,
                             std::optional<c10::ScalarType> output_type, std::string_view operation, Scalars arguments,
                             std::string_view algorithm);

}  // namespace

OneDnnInt8::OneDnnInt8(const Int8Channels& weights)
    : packed_(dispatched_operator<Prepack>("onednn::qlinear_prepack").call(weights.values, std::nullopt)),
      scales_(weights.scales),
      zero_points_(at::zeros({weights.scales.size(0)}, at::kLong)) {}

at::Tensor OneDnnInt8::multiply(const at::Tensor& bytes, const ByteRange& range, const Epilogue& epilogue,
                                c10::ScalarType type) const {
  static const auto kPointwise = dispatched_operator<Pointwise>("onednn::qlinear_pointwise");
  const std::optional<at::Tensor> bias = epilogue.bias.defined() ? std::optional(epilogue.bias) : std::nullopt;
  return kPointwise.call(bytes, range.scale, range.zero_point, packed_, scales_, zero_points_, bias,
                         epilogue.range.scale, epilogue.range.zero_point, type, epilogue.activation.name, Scalars(),
                         epilogue.activation.algorithm);
}

at::Tensor OneDnnInt8::multiply(const at::Tensor& offset_bytes) const {
  return multiply(offset_bytes, {1.0, kByteOffset}, {}, at::kFloat);
}

}  // namespace transformeter
