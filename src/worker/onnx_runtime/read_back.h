// What ran, from the profile of a pass.
#pragma once

#include <filesystem>
#include <string>

#include "model/model_readback.h"

namespace transformeter {

/// With its version: "ONNX Runtime 1.31.1".
std::string library_name();

/// Kernels and formats, but not threads. `precision`: what was asked for; quantized products of a file are its own, and
/// what is told as its precision is the format of the rest. Throws Error(kEnvironment) for a profile that cannot be
/// read, as on a full disk: without it nobody knows what ran.
ModelReadback read_profile(const std::filesystem::path& file, const std::string& precision);

}  // namespace transformeter
