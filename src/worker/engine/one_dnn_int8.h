// oneDNN's product of bytes with packed int8 weights, reached through the dispatcher.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>

#include "engine/one_dnn_activation.h"
#include "engine/row_quantizer.h"
#include "model/int8_channels.h"

namespace transformeter {

class OneDnnInt8 {
 public:
  explicit OneDnnInt8(const Int8Channels& weights);

  /// What follows the product inside the call.
  struct Epilogue {
    at::Tensor bias;  // [out] fp32; undefined: none
    OneDnnActivation activation{"none", ""};
    ByteRange range = {};  // of the result, if it is bytes
  };
  /// bytes [..., in] uint8 in `range` to [..., out] in `type`, fp32, bf16 or uint8.
  at::Tensor multiply(const at::Tensor& bytes, const ByteRange& range, const Epilogue& epilogue,
                      c10::ScalarType type) const;
  /// Whole numbers [N, in] as RowBytes::kOffset to Σ numbers · weights, times the weights' scales, [N, out] fp32.
  at::Tensor multiply(const at::Tensor& offset_bytes) const;

 private:
  at::Tensor packed_, scales_, zero_points_;
};

}  // namespace transformeter
