// What an ONNX file holds, beside what ONNX Runtime tells of it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace transformeter {

/// Initializers and constants of more than one element, in floating point or at most 8 bits.
struct OnnxWeights {
  std::int64_t elements = 0;
  bool is_quantized = false;  // some are in at most 8 bits
};

/// Weights beside the file count. Throws Error(kBadInput) for one that is no model.
OnnxWeights weights_in(const std::filesystem::path& file);

}  // namespace transformeter
