// LoRA (Hu et al. 2021, arXiv:2106.09685): a matrix is frozen and gets an adapter, two trainable matrices of a low
// rank: y = W x + b + alpha / rank · B (A x). Names and defaults are those of Hugging Face PEFT 0.21.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/case.h"
#include "spec/blueprint.h"
#include "spec/model_config.h"
#include "spec/tensor_spec.h"

namespace transformeter {

/// Of `targets`: every matrix but the projection of patches or waves, an output that predicts words, convolutions and
/// modules_to_save.
inline constexpr std::string_view kAllLinear = "all-linear";

struct LoraOptions {
  std::int64_t rank = 8;
  double alpha = 8;
  std::string targets;  // names of modules by commas, or kAllLinear; empty: query and value of each attention
};

/// Which weights are trainable.
struct LoraPlan {
  std::int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> targets;          // a module is one of them if its name is, or ends in "." and it
  std::vector<LinearSpec> matrices;          // that have an adapter, each once, in the order of a forward pass
  std::vector<std::string> modules_to_save;  // trainable without an adapter: the head, and what a checkpoint lacks

  double scale() const { return alpha / static_cast<double>(rank); }
  bool adapts(const LinearSpec& matrix) const;
  /// Whether this tensor of the model itself is trainable; others are frozen.
  bool is_trainable(std::string_view tensor) const;

  bool operator==(const LoraPlan&) const = default;
};

/// `new_tensors` are drawn at random, since a checkpoint lacks them: their modules are trainable. Throws
/// Error(kBadInput) for a target that no module of the model has, naming those there are, and Error(kUnsupported) for a
/// family without a blueprint, for targets that are convolutions, and for new tensors that no module of the head holds
/// alone.
LoraPlan plan_lora(const ModelConfig& config, Task task, const LoraOptions& options,
                   const std::vector<std::string>& new_tensors = {});

/// The same as a case asks for it; nothing: all weights are trainable.
std::optional<LoraPlan> plan_lora(const Case& request, const ModelConfig& config,
                                  const std::vector<std::string>& new_tensors = {});

/// A: [rank, in], of the matrix with that name.
std::string lora_a_of(const std::string& weight);
/// B: [out, rank], zeros at first.
std::string lora_b_of(const std::string& weight);

/// A and B of each matrix, in their order.
std::vector<TensorSpec> adapter_inventory(const LoraPlan& plan);

/// Elements of all trainable weights.
std::int64_t trainable_count(const std::vector<TensorSpec>& inventory, const std::optional<LoraPlan>& lora);

}  // namespace transformeter
