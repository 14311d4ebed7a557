// An ONNX or OpenVINO file as a model.
#pragma once

#include <openvino/runtime/core.hpp>

#include "engine/backend.h"

namespace transformeter {

/// As Backend::open.
OpenedModel open_graph_file(ov::Core& core, const GraphFile& file, const BackendOptions& options);

}  // namespace transformeter
