// Keys and values by layer.
#include "model/encoded_text.h"

#include <utility>

namespace transformeter {

void EncodedText::set(at::Tensor hidden, at::Tensor mask) {
  hidden_ = std::move(hidden);
  mask_ = std::move(mask);
}

EncodedText::KeyValue EncodedText::of_layer(std::size_t layer,
                                            const std::function<KeyValue(const at::Tensor& hidden)>& compute) {
  if (!keeps_) return compute(hidden_);
  if (layers_.size() <= layer) layers_.resize(layer + 1);
  if (!layers_[layer].key.defined()) layers_[layer] = compute(hidden_);
  return layers_[layer];
}

std::int64_t EncodedText::bytes() const {
  std::int64_t bytes = 0;
  for (const KeyValue& layer : layers_) {
    if (layer.key.defined()) bytes += static_cast<std::int64_t>(layer.key.nbytes() + layer.value.nbytes());
  }
  return bytes;
}

}  // namespace transformeter
