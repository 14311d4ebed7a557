// Matrices, heads and names come from the blueprint, so that a family needs nothing of its own.
#include "spec/lora.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/error.h"
#include "base/text.h"
#include "spec/architecture.h"
#include "spec/blueprint_matrices.h"

namespace transformeter {
namespace {

using Names = std::vector<std::string>;

void add_new(Names& names, const std::string& name) {
  if (!contains(names, name)) names.push_back(name);
}

// "a.b.weight" to "a.b".
std::string module_holding(std::string_view tensor) {
  return std::string(tensor.substr(0, tensor.rfind('.')));
}

bool is_within(std::string_view name, std::string_view module) {
  return name == module || (name.starts_with(module) && name.substr(module.size()).starts_with('.'));
}

bool is_target(std::string_view module, std::string_view target) {
  if (!module.ends_with(target)) return false;
  module.remove_suffix(target.size());
  return module.empty() || module.ends_with('.');
}

std::string last_part(const std::string& module) {
  return module.substr(module.rfind('.') + 1);
}

bool predicts_words(Task task) {
  const HeadKind head = head_of(task);
  return head == HeadKind::kMaskedTokens || head == HeadKind::kNextToken || head == HeadKind::kTargetTokens;
}

// Of a head, without what is shared with the embeddings.
Names modules_of(const HeadSpec& head) {
  Names modules;
  for (const std::optional<LinearSpec>& matrix : {head.dense, head.output}) {
    if (matrix && !matrix->is_tied()) modules.push_back(module_holding(matrix->weight));
  }
  if (head.norm) modules.push_back(head.norm->name);
  return modules;
}

// A classifier beside the base model is one module to PEFT, whatever it is made of; a head that predicts words stays
// as it was trained, and so do projections of images and captions, which the base model has.
Names modules_beside_base(const ModelConfig& config, Task task, const HeadSpec& head) {
  Names beside;
  if (predicts_words(task) || has_captions(task)) return beside;
  const Names& prefixes = config.architecture->base_prefixes;
  for (const std::string& module : modules_of(head)) {
    const bool is_of_base = std::any_of(prefixes.begin(), prefixes.end(),
                                        [&](const std::string& prefix) { return module.starts_with(prefix); });
    if (!is_of_base) add_new(beside, module.substr(0, module.find('.')));
  }
  return beside;
}

// Of a matrix: what a target may name.
struct Candidate {
  LinearSpec matrix;
  std::string module;
};

bool is_convolution(const Candidate& candidate) {
  return candidate.matrix.layout == WeightLayout::kConvolution;
}

// Several matrices in one tensor: PEFT adapts no module that holds them, and its output neither.
bool is_of_probe(const Blueprint& blueprint, const LinearSpec& matrix) {
  const std::optional<ProbeSpec>& probe = blueprint.head.probe;
  return matrix.is_part() || (probe && matrix == probe->attention.output);
}

std::vector<Candidate> candidates_of(const Blueprint& blueprint, const LoraPlan& plan) {
  std::vector<Candidate> candidates;
  const std::optional<PatchSpec>& patches = blueprint.embedding.patches;
  visit_matrices(blueprint, [&](const LinearSpec& matrix) {
    if (matrix.is_tied() || plan.is_trainable(matrix.weight) || (patches && matrix == patches->projection)) return;
    if (is_of_probe(blueprint, matrix)) return;
    const bool is_known = std::any_of(candidates.begin(), candidates.end(),
                                      [&](const Candidate& one) { return one.matrix.weight == matrix.weight; });
    if (!is_known) candidates.push_back({matrix, module_holding(matrix.weight)});
  });
  return candidates;
}

// As PEFT has it for the families that it knows: "query" and "value", "q_proj" and "v_proj", or "c_attn".
Names default_targets(const Blueprint& blueprint) {
  Names targets;
  visit_attentions(blueprint, [&](const AttentionSpec& attention) {
    const std::vector<LinearSpec>& inputs = attention.inputs;
    if (inputs.front().is_part()) return;
    add_new(targets, last_part(module_holding(inputs.front().weight)));
    if (inputs.size() == 3) add_new(targets, last_part(module_holding(inputs[2].weight)));
  });
  return targets;
}

[[noreturn]] void raise_unknown(const std::string& target, const std::vector<Candidate>& candidates) {
  Names names;
  for (const Candidate& one : candidates) add_new(names, last_part(one.module));
  add_new(names, std::string(kAllLinear));
  throw unknown_value("lora_targets", target, names);
}

Names split_targets(const std::string& text) {
  Names targets;
  for (const std::string& part : split(text, ',')) {
    const std::string target(trim(part));
    if (target.empty()) throw bad_value("lora_targets", text, "names of modules, separated by commas");
    add_new(targets, target);
  }
  return targets;
}

// Every linear module but the output that predicts words.
Names all_linear(const std::vector<Candidate>& candidates, const Blueprint& blueprint, Task task) {
  Names modules;
  for (const Candidate& one : candidates) {
    const bool is_output = predicts_words(task) && blueprint.head.output && one.matrix == *blueprint.head.output;
    if (!is_output && !is_convolution(one)) modules.push_back(one.module);
  }
  return modules;
}

void check_new_tensors(const std::vector<std::string>& new_tensors, const Names& modules, Task task) {
  for (const std::string& tensor : new_tensors) {
    if (contains(modules, module_holding(tensor))) continue;
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("lora_rank: the checkpoint has no '{}', which task {} needs and adapters alone cannot learn; "
                    "use a checkpoint with that head, or lora_rank off",
                    tensor, name_of(task)));
  }
}

// The targets' matrices.
std::vector<LinearSpec> adapted_matrices(const std::vector<Candidate>& candidates, const Names& targets) {
  std::vector<bool> is_found(targets.size(), false);
  std::vector<LinearSpec> matrices;
  for (const Candidate& one : candidates) {
    bool is_adapted = false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!is_target(one.module, targets[i])) continue;
      is_found[i] = is_adapted = true;
    }
    if (!is_adapted) continue;
    if (is_convolution(one)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("lora_targets: '{}' is a convolution, which gets no adapter here", one.module));
    }
    matrices.push_back(one.matrix);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!is_found[i]) raise_unknown(targets[i], candidates);
  }
  return matrices;
}

}  // namespace

bool LoraPlan::adapts(const LinearSpec& matrix) const {
  return std::any_of(matrices.begin(), matrices.end(),
                     [&](const LinearSpec& one) { return one.weight == matrix.weight; });
}

bool LoraPlan::is_trainable(std::string_view tensor) const {
  return std::any_of(modules_to_save.begin(), modules_to_save.end(),
                     [&](const std::string& module) { return is_within(tensor, module); });
}

LoraPlan plan_lora(const ModelConfig& config, Task task, const LoraOptions& options,
                   const std::vector<std::string>& new_tensors) {
  const Blueprint blueprint = draw_blueprint(config, task);
  LoraPlan plan;
  plan.rank = options.rank;
  plan.alpha = options.alpha;
  plan.modules_to_save = modules_beside_base(config, task, blueprint.head);
  check_new_tensors(new_tensors, modules_of(blueprint.head), task);
  for (const std::string& tensor : new_tensors) {
    if (!plan.is_trainable(tensor)) add_new(plan.modules_to_save, module_holding(tensor));
  }
  const std::vector<Candidate> candidates = candidates_of(blueprint, plan);
  if (options.targets == kAllLinear) {
    plan.targets = all_linear(candidates, blueprint, task);
  } else {
    plan.targets = options.targets.empty() ? default_targets(blueprint) : split_targets(options.targets);
  }
  plan.matrices = adapted_matrices(candidates, plan.targets);
  return plan;
}

std::optional<LoraPlan> plan_lora(const Case& request, const ModelConfig& config,
                                  const std::vector<std::string>& new_tensors) {
  if (!request.lora_rank) return std::nullopt;
  return plan_lora(config, request.task, {*request.lora_rank, request.lora_alpha, request.lora_targets}, new_tensors);
}

std::string lora_a_of(const std::string& weight) {
  return module_holding(weight) + ".lora_A.weight";
}

std::string lora_b_of(const std::string& weight) {
  return module_holding(weight) + ".lora_B.weight";
}

std::vector<TensorSpec> adapter_inventory(const LoraPlan& plan) {
  std::vector<TensorSpec> tensors;
  for (const LinearSpec& matrix : plan.matrices) {
    tensors.push_back({lora_a_of(matrix.weight), {plan.rank, matrix.in}, Initialization::kNormal, "", matrix.in});
    tensors.push_back({lora_b_of(matrix.weight), {matrix.out, plan.rank}, Initialization::kZeros, "", plan.rank});
  }
  return tensors;
}

std::int64_t trainable_count(const std::vector<TensorSpec>& inventory, const std::optional<LoraPlan>& lora) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : inventory) {
    if (!lora || lora->is_trainable(tensor.name)) count += tensor.element_count();
  }
  if (!lora) return count;
  for (const TensorSpec& tensor : adapter_inventory(*lora)) count += tensor.element_count();
  return count;
}

}  // namespace transformeter
