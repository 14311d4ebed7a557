// What the graphs of other libraries are drawn of.
#pragma once

#include <string_view>

#include "spec/blueprint.h"

namespace transformeter {

/// Throws Error(kUnsupported) that names the engine for layers of convolutions, scaled embeddings, norms of what a part
/// adds, weights of norms that count from 1, and rotations that differ between layers or turn a part of each head.
void check_drawable(const Blueprint& blueprint, std::string_view engine);

}  // namespace transformeter
