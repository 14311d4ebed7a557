// A blueprint drawn as a graph of OpenVINO's operators.
#pragma once

#include <memory>
#include <openvino/core/model.hpp>
#include <vector>

#include "model/graph_inputs.h"
#include "model/graph_scopes.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

struct DrawnGraph {
  std::shared_ptr<ov::Model> model;
  std::vector<GraphInput> inputs;  // in the model's order
  GraphScopes scopes;              // of its nodes
};

/// Of shape [B, T], both of any size, in fp32. Weights are used where they lie and kept. Throws Error(kUnsupported) for
/// layers of convolutions.
DrawnGraph draw_graph(const Blueprint& blueprint, const Parameters& parameters);

}  // namespace transformeter
