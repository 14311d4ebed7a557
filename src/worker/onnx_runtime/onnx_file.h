// What an ONNX file holds, beside what ONNX Runtime tells of it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace transformeter {

/// Elements of its weights: initializers and constants of more than one element, in floating point or at most 8 bits.
/// Weights beside the file count. Throws Error(kBadInput) for one that is no model.
std::int64_t count_parameters(const std::filesystem::path& file);

}  // namespace transformeter
