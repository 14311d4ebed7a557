// Writes a safetensors file. Format: https://github.com/huggingface/safetensors#format
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// A tensor's values as they lie in memory, row by row, little-endian; borrowed.
struct StoredTensor {
  std::string name;   // at most 500 bytes without control characters, or no reader takes it
  std::string dtype;  // "F32", "BF16", "I64", …
  std::vector<std::int64_t> shape;
  std::string_view bytes;
  /// In place of `bytes`: gives them when they are written, one tensor after the other, until it is the next one's
  /// turn.
  std::function<std::string_view()> make_bytes = {};
};

/// Writes them with `metadata` as "__metadata__", beside `path` under another name first: a write that fails leaves
/// nothing behind. Every tensor begins at a multiple of its element's size, so that a mapped file can be computed with
/// where it lies; to that end the widest come first, and by name, as the safetensors library orders them. The default
/// metadata are what Transformers asks for. Throws Error(kEnvironment) naming path and reason; Error(kInternal) for two
/// tensors of one name and for bytes that are not those of the shape; Error(kBadInput) for an unknown dtype.
void write_safetensors(const std::filesystem::path& path, std::vector<StoredTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace transformeter
