// What a compiled model says of itself, in the words of the settings.
#pragma once

#include <openvino/core/node.hpp>
#include <openvino/runtime/compiled_model.hpp>
#include <string>
#include <string_view>

#include "model/model_readback.h"

namespace transformeter {

/// OpenVINO's name of a number format for a setting's, e.g. "f32" for "fp32". Throws Error(kUnsupported) for one that
/// is asked of a file, not of the engine.
std::string hint_of(const std::string& precision);

/// With its release: "OpenVINO 2026.4.1".
std::string library_name();

/// A setting's word for a number format; where it has none, OpenVINO's.
std::string format_name(std::string_view theirs);

/// What the graph as it is executed says of a node, e.g. its "layerType"; empty: nothing.
std::string fact_of(const ov::Node& node, const char* name);

/// Kernels, formats and threads; kernels are known after a pass.
ModelReadback read_back(const ov::CompiledModel& compiled);

}  // namespace transformeter
