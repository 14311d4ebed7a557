// Keys and values of the tokens a causal model has seen, so that the next token costs one column and not all.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace transformeter {

class KeyValueCache {
 public:
  /// Room for `capacity` tokens a row is taken when the first ones come.
  explicit KeyValueCache(std::int64_t capacity) : capacity_(capacity) {}

  /// Tokens of the passes before this one.
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  /// Of all buffers taken so far.
  std::int64_t bytes() const;

  struct KeyValue {
    at::Tensor key, value;  // [B, G, length + T, d]: views that the next pass extends
  };
  /// Adds what one layer computed for the T new tokens, [B, G, T, d] each, and gives all of it. Throws
  /// Error(kUnsupportedShape) beyond the capacity.
  KeyValue append(std::size_t layer, const at::Tensor& key, const at::Tensor& value);
  /// Ends a pass over `tokens` tokens, when every layer has appended.
  void advance(std::int64_t tokens) { length_ += tokens; }
  /// Forgets all tokens, but keeps the room for them.
  void clear() { length_ = 0; }

 private:
  std::int64_t capacity_;
  std::int64_t length_ = 0;
  std::vector<KeyValue> layers_;  // [B, G, capacity, d]
};

}  // namespace transformeter
