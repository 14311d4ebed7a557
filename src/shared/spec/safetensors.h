// Reads the header of a safetensors file: which tensor lies where. Takes untrusted bytes; reads no tensor data.
// Format: https://github.com/huggingface/safetensors#format
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct SafetensorsEntry {
  std::string dtype;  // as the file spells it: "F32", "F16", "BF16", "I64", …
  std::vector<std::int64_t> shape;
  // Byte offsets into the file, end exclusive; end − begin is the product of the shape times the size of the dtype.
  // A scalar has an empty shape. Writers align begin to 8 bytes, but the format does not promise it.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t file = 0;  // which of a checkpoint's files

  bool operator==(const SafetensorsEntry&) const = default;
};

using SafetensorsEntries = std::map<std::string, SafetensorsEntry>;

/// Bytes of one element. Throws Error(kBadInput) listing the dtypes it knows.
std::uint64_t safetensors_dtype_bytes(std::string_view dtype);

/// `file_bytes` is the whole file; `what` names it in errors. "__metadata__" is skipped. An empty file map is allowed.
/// Throws Error(kBadInput) naming the file and the tensor for anything the format forbids: a header that is longer than
/// the file or 100 MB, is no JSON object, repeats a name; a name above 500 bytes or with control characters; a shape or
/// dtype that is none; a range that runs backwards, past the end (a truncated file), over another tensor, or whose size
/// is not that of its shape; bytes no tensor owns.
SafetensorsEntries parse_safetensors_header(std::string_view file_bytes, std::string_view what);

}  // namespace transformeter
