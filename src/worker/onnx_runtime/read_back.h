// What ran, from the profile of a pass.
#pragma once

#include <filesystem>
#include <string>

#include "model/model_readback.h"

namespace transformeter {

/// Kernels and formats, but not threads. `precision`: what was asked for; products in int8 that were not asked for are
/// the file's own, and what is told is the format of the rest. Of a profile that cannot be read only the library is
/// known.
ModelReadback read_profile(const std::filesystem::path& file, const std::string& precision);

}  // namespace transformeter
