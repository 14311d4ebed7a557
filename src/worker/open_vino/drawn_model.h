// A model of a built-in family as OpenVINO runs it.
#pragma once

#include <memory>
#include <openvino/runtime/core.hpp>

#include "engine/backend.h"

namespace transformeter {

/// As Backend::make.
std::unique_ptr<Model> make_drawn_model(ov::Core& core, const Blueprint& blueprint, const Parameters& parameters,
                                        const BackendOptions& options);

}  // namespace transformeter
