// A blueprint drawn as a graph of OpenVINO's operators.
#pragma once

#include <memory>
#include <openvino/core/model.hpp>
#include <vector>

#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// Inputs of a graph, by these names; those that a model does not read are left out.
namespace graph_input {
inline constexpr const char* kIds = "input_ids";           // int64 [B, T]
inline constexpr const char* kTypes = "token_type_ids";    // int64 [B, T]
inline constexpr const char* kPositions = "position_ids";  // int64 [B, T], rows of the table
/// Float [B, 1, 1, T], of a causal model [B, 1, T, T]: added to a query's scores of a key. Followed by the window of
/// the layers that read it; "attention_bias_0" is for those that see all.
inline constexpr const char* kAttentionBias = "attention_bias_";
inline constexpr const char* kCosine = "rotation_cosine";  // float [B, 1, T, d], as Rotation has it
inline constexpr const char* kSine = "rotation_sine";
/// Float [B, T] of the head's selection i, "selection_0" and so on: for the largest of each number what is added to
/// each token, 0 or a number too low to matter; else the weight of each token in a sum.
inline constexpr const char* kSelection = "selection_";
}  // namespace graph_input

/// Of shape [B, T], both of any size, in fp32. Weights are used where they lie and kept. Throws Error(kUnsupported) for
/// layers of convolutions.
std::shared_ptr<ov::Model> draw_graph(const Blueprint& blueprint, const Parameters& parameters);

}  // namespace transformeter
