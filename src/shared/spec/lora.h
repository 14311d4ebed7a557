// LoRA (Hu et al. 2021, arXiv:2106.09685): a matrix stays as it is and gets an adapter, two matrices of a low rank that
// learn in its place: y = W x + b + alpha / rank · B (A x). Names and defaults are those of Hugging Face PEFT 0.21.
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

/// Of `targets`: every matrix but the model's output and what is trained whole.
inline constexpr std::string_view kAllLinear = "all-linear";

struct LoraOptions {
  std::int64_t rank = 8;
  double alpha = 8;
  std::string targets;  // names of modules by commas, or kAllLinear; empty: queries and values of all attentions
};

/// What a training with adapters learns.
struct LoraPlan {
  std::int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> targets;          // a module is one of them if its name is, or ends in "." and it
  std::vector<LinearSpec> matrices;          // that have an adapter, each once, in the order of a forward pass
  std::vector<std::string> trained_modules;  // trained whole: the task's head, and what a checkpoint lacks

  double scale() const { return alpha / static_cast<double>(rank); }
  bool adapts(const LinearSpec& matrix) const;
  /// Whether this tensor of the model itself learns; others are frozen.
  bool trains(std::string_view tensor) const;

  bool operator==(const LoraPlan&) const = default;
};

/// `new_tensors` are drawn at random, since a checkpoint lacks them: their modules learn. Throws Error(kBadInput) for a
/// target that no module of the model has, naming those there are, and Error(kUnsupported) for a family without a
/// blueprint, for targets that are convolutions, and for new tensors that no module of the head holds alone.
LoraPlan plan_lora(const ModelConfig& config, Task task, const LoraOptions& options,
                   const std::vector<std::string>& new_tensors = {});

/// The same as a case asks for it; nothing: all weights learn.
std::optional<LoraPlan> plan_lora(const Case& request, const ModelConfig& config,
                                  const std::vector<std::string>& new_tensors = {});

/// A: [rank, in], of the matrix with that name.
std::string lora_a_of(const std::string& weight);
/// B: [out, rank], zeros at first.
std::string lora_b_of(const std::string& weight);

/// A and B of each matrix, in their order.
std::vector<TensorSpec> adapter_inventory(const LoraPlan& plan);

/// Elements of what learns.
std::int64_t trained_count(const std::vector<TensorSpec>& inventory, const std::optional<LoraPlan>& lora);

}  // namespace transformeter
