// A blueprint drawn as a graph of OpenVINO's operators.
#pragma once

#include <cstdint>
#include <memory>
#include <openvino/core/model.hpp>
#include <vector>

#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// What a graph reads; a model has those that it needs.
struct GraphInput {
  enum class Kind {
    kIds,        // int64 [B, T]
    kTypes,      // int64 [B, T]
    kPositions,  // int64 [B, T], rows of the table
    kBias,       // float [B, 1, 1, T], of a causal model [B, 1, T, T]: added to a query's scores of a key
    kCosine,     // float [B, 1, T, d], as Rotation has it
    kSine,       // likewise
    kSelection,  // float [B, T]: the weight of each token in a sum; for the largest of each number what is added to
                 // each token, 0 or a number too low to matter
  };
  Kind kind = Kind::kIds;
  std::int64_t number = 0;  // of kBias: the window of the layers that read it, 0: all tokens; of kSelection: its place
};

struct DrawnGraph {
  std::shared_ptr<ov::Model> model;
  std::vector<GraphInput> inputs;  // in the model's order
};

/// Of shape [B, T], both of any size, in fp32. Weights are used where they lie and kept. Throws Error(kUnsupported) for
/// layers of convolutions.
DrawnGraph draw_graph(const Blueprint& blueprint, const Parameters& parameters);

}  // namespace transformeter
