// Engines that are other libraries than LibTorch, by their names of the setting `engine`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/backend.h"

namespace transformeter {

/// All that there are, installed or not: "openvino", "onnxruntime".
std::vector<std::string> backend_names();

/// The values of the setting `precision` that it supports.
std::vector<std::string> backend_precisions(const std::string& engine);

bool is_backend(const std::string& engine);

/// Why it is not available here; nothing: its plug-in fits this worker. Only the file is read.
std::optional<std::string> why_no_backend(const std::string& engine);

/// SHA-256 of the plug-ins that are available, by engine: another build, or another version of the library, has
/// another.
Json backend_hashes();

/// Loads it at the first call. Throws Error(kUnsupported) where it is not available.
const Backend& open_backend(const std::string& engine);

}  // namespace transformeter
