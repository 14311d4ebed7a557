// One buffer a layer, written in place.
#include "model/key_value_cache.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <optional>

#include "base/error.h"

namespace transformeter {
namespace {

// All of them, or before there are several beams the first of each row's.
KeyValueCache::KeyValue rows_of(const KeyValueCache::KeyValue& kept, std::int64_t rows) {
  const std::int64_t step = kept.key.size(0) / rows;
  if (step == 1) return kept;
  return {kept.key.slice(0, 0, std::nullopt, step), kept.value.slice(0, 0, std::nullopt, step)};
}

}  // namespace

KeyValueCache::KeyValue KeyValueCache::append(std::size_t layer, const at::Tensor& key, const at::Tensor& value) {
  const std::int64_t end = length_ + key.size(2);
  if (end > capacity_) {
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("{} tokens do not fit into a key-value cache of {}", end, capacity_));
  }
  if (layers_.size() <= layer) layers_.resize(layer + 1);
  KeyValue& kept = layers_[layer];
  if (!kept.key.defined()) {
    const std::int64_t rows = key.size(0) * beams_;
    kept.key = at::empty({rows, key.size(1), capacity_, key.size(3)}, key.options());
    kept.value = at::empty({rows, value.size(1), capacity_, value.size(3)}, value.options());
  }
  const KeyValue own = rows_of(kept, key.size(0));
  own.key.slice(2, length_, end).copy_(key);
  own.value.slice(2, length_, end).copy_(value);
  return {own.key.slice(2, 0, end), own.value.slice(2, 0, end)};
}

void KeyValueCache::reorder(const std::vector<std::int64_t>& sources) {
  std::vector<std::int64_t> changed, from;
  for (std::size_t row = 0; row < sources.size(); ++row) {
    if (sources[row] == static_cast<std::int64_t>(row)) continue;
    changed.push_back(static_cast<std::int64_t>(row));
    from.push_back(sources[row]);
  }
  if (changed.empty() || layers_.empty()) return;
  const c10::Device device = layers_.front().key.device();
  const at::Tensor to = at::tensor(changed).to(device), of = at::tensor(from).to(device);
  for (KeyValue& layer : layers_) {
    for (const at::Tensor* buffer : {&layer.key, &layer.value}) {
      at::Tensor kept = buffer->slice(2, 0, length_);
      kept.index_copy_(0, to, kept.index_select(0, of));
    }
  }
}

std::int64_t KeyValueCache::bytes() const {
  std::int64_t bytes = 0;
  for (const KeyValue& layer : layers_) {
    if (layer.key.defined()) bytes += static_cast<std::int64_t>(layer.key.nbytes() + layer.value.nbytes());
  }
  return bytes;
}

}  // namespace transformeter
