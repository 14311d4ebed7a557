// Keys and values of the tokens a causal model has seen, so that the next token costs one column and not all.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace transformeter {

class KeyValueCache {
 public:
  /// Room for `capacity` tokens a row is taken when the first ones come: for `beams` rows in the place of each. Passes
  /// are over the first of them until reorder() has said what the others hold, and over all from then on.
  explicit KeyValueCache(std::int64_t capacity, std::int64_t beams = 1) : capacity_(capacity), beams_(beams) {}

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
  /// Row i goes on with the tokens of row `sources[i]`, for all rows that there is room for. Rows that stay as they are
  /// are not touched.
  void reorder(const std::vector<std::int64_t>& sources);
  /// Forgets all tokens, but keeps the room for them.
  void clear() { length_ = 0; }

 private:
  std::int64_t capacity_, beams_;
  std::int64_t length_ = 0;
  std::vector<KeyValue> layers_;  // [B · beams, G, capacity, d]
};

}  // namespace transformeter
