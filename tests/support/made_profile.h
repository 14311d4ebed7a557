// Small profiles of two passes, made by hand: of a forward pass (embeddings, two layers, and a call outside of
// modules), and of a training step.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schema/profile.h"

namespace transformeter {

/// In each of two passes. Returns the node's index.
inline std::size_t add_node(Profile& profile, std::size_t parent, ProfileNodeKind kind, const std::string& name,
                            std::optional<ProfilePhase> phase, double total_s, double self_s) {
  profile.nodes.push_back({.parent = parent,
                           .kind = kind,
                           .name = name,
                           .phase = phase,
                           .calls = 2,
                           .total_s = 2 * total_s,
                           .self_s = 2 * self_s});
  return profile.nodes.size() - 1;
}

/// 100 ms a pass: 10 ms embedding, 2 · 30 ms of products and 2 · 10 ms of activations in the layers, 4 ms in the
/// layers' own code, and 6 ms outside.
inline Profile made_profile() {
  using enum ProfileNodeKind;
  Profile profile;
  profile.passes = 2;
  profile.batches = 1;
  profile.unprofiled_s = {0.09, 0.1, 0.11};
  profile.profiled_s = {0.101, 0.099};
  add_node(profile, 0, kPass, "forward pass", std::nullopt, 0.1, 0);
  const std::size_t embeddings = add_node(profile, 0, kModule, "m.embeddings", ProfilePhase::kEmbedding, 0.01, 0);
  add_node(profile, embeddings, kOperator, "aten::embedding", ProfilePhase::kEmbedding, 0.01, 0.01);
  for (const char* layer : {"m.layer.0", "m.layer.1"}) {
    const std::size_t whole = add_node(profile, 0, kModule, layer, std::nullopt, 0.042, 0.002);
    const std::string name = std::string(layer) + ".lin";
    const std::size_t linear = add_node(profile, whole, kModule, name, ProfilePhase::kFeedForward, 0.03, 0);
    const std::size_t outer =
        add_node(profile, linear, kOperator, "aten::linear", ProfilePhase::kFeedForward, 0.03, 0.001);
    const std::size_t product =
        add_node(profile, outer, kOperator, "aten::addmm", ProfilePhase::kFeedForward, 0.029, 0.029);
    profile.nodes[product].flops = 2 * 2.9e9;
    profile.nodes[product].bytes = 2 * 1e6;
    add_node(profile, whole, kOperator, "aten::gelu", ProfilePhase::kFeedForward, 0.01, 0.01);
  }
  add_node(profile, 0, kOperator, "aten::cat", std::nullopt, 0.006, 0.006);
  return profile;
}

/// 8 MiB before the pass; at the peak 4 MiB of the product in each layer and 2 MiB of the call outside.
inline Profile made_profile_with_memory() {
  Profile profile = made_profile();
  ProfileMemory memory{.peak_bytes = 18 << 20, .peak_s = 0.06, .earlier_bytes = 8 << 20};
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    if (profile.nodes[i].name == "aten::addmm") memory.held.push_back({i, 1, 4 << 20});
    if (profile.nodes[i].name == "aten::cat") memory.held.push_back({i, 1, 2 << 20});
  }
  memory.timeline = {{0, 8 << 20, 0}, {0.03, 12 << 20, 4 << 20}, {0.06, 18 << 20, 10 << 20}, {0.1, 8 << 20, 0}};
  profile.memory = memory;
  return profile;
}

/// The same times, of the kernels of a GPU that is idle for 6 ms of the pass instead of what lies outside.
inline Profile made_gpu_profile() {
  Profile profile = made_profile();
  profile.nodes.front().self_s += 2 * 0.006;
  profile.nodes.pop_back();
  profile.gpu.emplace();
  for (std::size_t i = 1; i < profile.nodes.size(); ++i) {
    ProfileNode& node = profile.nodes[i];
    node.host_s = 2 * 0.001;
    if (node.self_s == 0) continue;
    const bool is_product = node.name == "aten::addmm";
    profile.gpu->kernels.push_back({i, is_product ? "gemm_kernel<float>" : "elementwise_kernel", 2, node.self_s});
  }
  return profile;
}

/// 40 ms a step: 2 ms data; forward 10 ms of a product and 1 ms of loss; backward 20 ms of the product, and 1 ms
/// outside of modules; 5 ms optimizer, and 1 ms of its own.
inline Profile made_step_profile() {
  using enum ProfileNodeKind;
  Profile profile;
  profile.passes = 2;
  profile.batches = 1;
  profile.unprofiled_s = {0.04};
  profile.profiled_s = {0.04, 0.04};
  add_node(profile, 0, kPass, "training step", std::nullopt, 0.04, 0);
  add_node(profile, 0, kStage, "data", std::nullopt, 0.002, 0.002);
  const std::size_t forward = add_node(profile, 0, kStage, "forward", std::nullopt, 0.011, 0);
  const std::size_t module = add_node(profile, forward, kModule, "m.lin", ProfilePhase::kFeedForward, 0.01, 0);
  add_node(profile, module, kOperator, "aten::addmm", ProfilePhase::kFeedForward, 0.01, 0.01);
  add_node(profile, forward, kOperator, "aten::nll_loss", ProfilePhase::kLoss, 0.001, 0.001);
  const std::size_t backward = add_node(profile, 0, kStage, "backward", std::nullopt, 0.021, 0);
  const std::size_t again = add_node(profile, backward, kModule, "m.lin", ProfilePhase::kFeedForward, 0.02, 0);
  profile.nodes[again].calls = 0;
  add_node(profile, again, kOperator, "aten::mm", ProfilePhase::kFeedForward, 0.02, 0.02);
  add_node(profile, backward, kOperator, "AccumulateGrad", std::nullopt, 0.001, 0.001);
  const std::size_t optimizer = add_node(profile, 0, kStage, "optimizer", std::nullopt, 0.006, 0.001);
  add_node(profile, optimizer, kOperator, "aten::_fused_adamw_", std::nullopt, 0.005, 0.005);
  return profile;
}

}  // namespace transformeter
