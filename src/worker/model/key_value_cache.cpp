// One buffer a layer, written in place.
#include "model/key_value_cache.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {

KeyValueCache::KeyValue KeyValueCache::append(std::size_t layer, const at::Tensor& key, const at::Tensor& value) {
  const std::int64_t end = length_ + key.size(2);
  if (end > capacity_) {
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("{} tokens do not fit into a key-value cache of {}", end, capacity_));
  }
  if (layers_.size() <= layer) layers_.resize(layer + 1);
  KeyValue& kept = layers_[layer];
  if (!kept.key.defined()) {
    kept.key = at::empty({key.size(0), key.size(1), capacity_, key.size(3)}, key.options());
    kept.value = at::empty({value.size(0), value.size(1), capacity_, value.size(3)}, value.options());
  }
  kept.key.slice(2, length_, end).copy_(key);
  kept.value.slice(2, length_, end).copy_(value);
  return {kept.key.slice(2, 0, end), kept.value.slice(2, 0, end)};
}

std::int64_t KeyValueCache::bytes() const {
  std::int64_t bytes = 0;
  for (const KeyValue& layer : layers_) {
    if (layer.key.defined()) bytes += static_cast<std::int64_t>(layer.key.nbytes() + layer.value.nbytes());
  }
  return bytes;
}

}  // namespace transformeter
