// Opens the plug-in library of a device, or says why not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "device/plugin.h"

namespace transformeter {

/// What TRANSFORMETER_CUDA_PLUGIN names, else libtransformeter_cuda.so beside this program.
std::filesystem::path cuda_plugin_path();

/// LibTorch's version in a plug-in library's mark; nothing where there is no mark, or the file cannot be
/// read.
std::optional<std::string> plugin_libtorch(const std::filesystem::path& library);

/// Null where it cannot serve this worker, and why. The library stays open for the rest of the process.
DevicePlugin* open_plugin(const std::filesystem::path& library, std::string& why_not);

}  // namespace transformeter
