// What an encoder made of texts, for the passes of a decoder that attends to it: kept once for all beams of a text,
// which are rows of the decoder side by side.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace transformeter {

class EncodedText {
 public:
  struct KeyValue {
    at::Tensor key, value;  // [B, G, S, d]
  };

  /// `keeps`: keys and values of each layer are computed at its first pass alone.
  explicit EncodedText(bool keeps) : keeps_(keeps) {}

  bool is_empty() const { return !hidden_.defined(); }
  /// `hidden` [B, S, C]; `mask` as ModelInputs::attention_mask.
  void set(at::Tensor hidden, at::Tensor mask);
  const at::Tensor& hidden() const { return hidden_; }
  const at::Tensor& mask() const { return mask_; }

  /// Those of a layer; `compute` makes them of the hidden states.
  KeyValue of_layer(std::size_t layer, const std::function<KeyValue(const at::Tensor& hidden)>& compute);
  /// Of the keys and values that are kept.
  std::int64_t bytes() const;

 private:
  bool keeps_;
  at::Tensor hidden_, mask_;
  std::vector<KeyValue> layers_;
};

}  // namespace transformeter
