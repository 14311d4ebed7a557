// A blueprint drawn as a graph of ONNX Runtime's operators.
#pragma once

#include <vector>

#include "model/graph_inputs.h"
#include "model/parameters.h"
#include "onnx_runtime/onnx_graph.h"
#include "spec/blueprint.h"

namespace transformeter {

struct DrawnOnnx {
  OnnxGraph graph;
  OnnxValue output;
  std::vector<GraphInput> inputs;  // in the graph's order
};

/// Rows and tokens may be of any number. `is_int8`: products with weights multiply int8 by uint8. Each of their outputs
/// has a scale; the inputs of a product have one scale and one zero, found in each pass. All else is in fp32. The graph
/// keeps the weights that it needs. Throws Error(kUnsupported) for layers of convolutions.
DrawnOnnx draw_onnx(const Blueprint& blueprint, const Parameters& parameters, bool is_int8);

}  // namespace transformeter
