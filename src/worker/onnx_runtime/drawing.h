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

/// Of shape [B, T], both of any size. `is_int8`: products with weights are in int8, with one scale for each of their
/// outputs and for all inputs of a product, which follows from them in each pass; the rest is in fp32. The graph keeps
/// the weights that it needs. Throws Error(kUnsupported) for layers of convolutions.
DrawnOnnx draw_onnx(const Blueprint& blueprint, const Parameters& parameters, bool is_int8);

}  // namespace transformeter
