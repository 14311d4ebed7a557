// What a compiled model says of itself, in the words of the settings.
#pragma once

#include <openvino/runtime/compiled_model.hpp>
#include <string>

#include "model/model_readback.h"

namespace transformeter {

/// OpenVINO's name of a number format for a setting's, e.g. "f32" for "fp32". Throws Error(kUnsupported) for one that
/// is asked of a file, not of the engine.
std::string hint_of(const std::string& precision);

/// Kernels, formats and threads; kernels are known after a pass.
ModelReadback read_back(const ov::CompiledModel& compiled);

}  // namespace transformeter
