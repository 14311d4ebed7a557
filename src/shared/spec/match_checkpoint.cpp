// Which tensor of a file serves which parameter, and what may be left over.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "spec/checkpoint.h"

namespace transformeter {

namespace {

std::string_view without_prefix(const Architecture& architecture, std::string_view name) {
  for (const std::string& prefix : architecture.base_prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

/// The names a file may use for one parameter, the usual one first.
std::vector<std::string> candidates(const Architecture& architecture, const TensorSpec& parameter) {
  std::vector<std::string> names = {parameter.name};
  const std::string bare(without_prefix(architecture, parameter.name));
  if (bare != parameter.name) {
    names.push_back(bare);
    for (const std::string& prefix : architecture.base_prefixes) names.push_back(prefix + bare);
  }
  if (!parameter.tied_name.empty()) {
    // Of two biases the decoder's own is the one that is added; two tables that are tied are equal.
    const bool is_bias = parameter.shape.size() == 1;
    names.insert(is_bias ? names.begin() : names.end(), parameter.tied_name);
  }
  const auto copies = architecture.copies.find(parameter.name);
  if (copies != architecture.copies.end()) names.insert(names.end(), copies->second.begin(), copies->second.end());
  // The two parts of a normalized weight, as PyTorch named them before its parametrizations.
  for (const auto& [now, then] : {std::pair(".parametrizations.weight.original0", ".weight_g"),
                                  std::pair(".parametrizations.weight.original1", ".weight_v")}) {
    if (!parameter.name.ends_with(now)) continue;
    for (const std::string& name : {parameter.name, bare}) {
      names.push_back(name.substr(0, name.size() - std::string_view(now).size()) + then);
    }
  }
  // Checkpoints converted from TensorFlow, bert-base-uncased among them, keep its names for LayerNorm.
  for (const auto& [now, then] : {std::pair(".weight", ".gamma"), std::pair(".bias", ".beta")}) {
    const std::string end = std::string("LayerNorm") + now;
    if (!parameter.name.ends_with(end)) continue;
    for (const std::string& name : {parameter.name, bare}) {
      names.push_back(name.substr(0, name.size() - std::string_view(now).size()) + then);
    }
  }
  return names;
}

// A task that reads the decoder reads all of it.
bool is_of_read_decoder(std::string_view name, const std::vector<TensorSpec>& inventory) {
  constexpr std::string_view kDecoder = "decoder.";
  return name.starts_with(kDecoder) && std::any_of(inventory.begin(), inventory.end(), [&](const TensorSpec& one) {
           return one.name.starts_with(kDecoder);
         });
}

bool is_ignored(const Architecture& architecture, std::string_view name, const std::vector<TensorSpec>& inventory) {
  const std::string_view bare = without_prefix(architecture, name);
  const auto begins = [&](const std::string& begin) { return bare.starts_with(begin); };
  const auto ends = [&](const std::string& end) { return bare.ends_with(end); };
  if (std::any_of(architecture.ignored_endings.begin(), architecture.ignored_endings.end(), ends)) return true;
  return !is_of_read_decoder(bare, inventory) &&
         std::any_of(architecture.ignored_tensors.begin(), architecture.ignored_tensors.end(), begins);
}

// What a checkpoint holds of them.
std::vector<TensorSpec> stored_inventory(const ModelConfig& config, Task task) {
  std::vector<TensorSpec> inventory = tensor_inventory(config, task);
  std::erase_if(inventory, [](const TensorSpec& tensor) { return tensor.is_computed; });
  return inventory;
}

// Names of what tasks on the other kind of input read.
std::set<std::string> other_tower(const ModelConfig& config, Task task) {
  std::set<std::string> names;
  for (const Task other : tasks_of(*config.architecture)) {
    if (modality_of(other) == modality_of(task)) continue;
    for (const TensorSpec& tensor : stored_inventory(config, other)) names.insert(tensor.name);
  }
  return names;
}

bool is_harmless(const ModelConfig& config, std::string_view name, const std::vector<TensorSpec>& inventory) {
  if (is_ignored(*config.architecture, name, inventory)) return true;
  const std::optional<LinearSpec>& dense = config.sentence.dense;
  if (dense && (name == dense->weight || name == dense->bias)) return true;
  for (const auto& [own, copies] : config.architecture->copies) {
    if (std::find(copies.begin(), copies.end(), name) != copies.end()) return true;
  }
  return std::any_of(inventory.begin(), inventory.end(), [&](const TensorSpec& parameter) {
    return !parameter.tied_name.empty() && parameter.tied_name == name;
  });
}

std::string hint(std::string_view name, const std::vector<std::string>& names) {
  const auto near = nearest(name, names);
  return near ? fmt::format(" The closest name is '{}'.", *near) : "";
}

// Whether the file has any part of a task's head; a pooler and stored positions belong to the model itself.
bool has_head(const Architecture& architecture, const SafetensorsEntries& entries) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
    const std::string_view bare = without_prefix(architecture, entry.first);
    const auto begins = [&](const std::string& begin) { return bare.starts_with(begin); };
    return bare == entry.first && !bare.starts_with("pooler.") && !bare.starts_with("embeddings.") &&
           std::any_of(architecture.ignored_tensors.begin(), architecture.ignored_tensors.end(), begins);
  });
}

// Whether the parameters are all of the head.
bool are_of_head(const std::vector<const TensorSpec*>& parameters, const ModelConfig& config) {
  std::set<std::string> base;
  for (const TensorSpec& tensor : tensor_inventory(config, base_task(*config.architecture))) base.insert(tensor.name);
  return std::all_of(parameters.begin(), parameters.end(),
                     [&](const TensorSpec* one) { return base.count(one->name) == 0; });
}

// A model without a head can be measured as what it is.
[[noreturn]] void raise_headless(const TensorSpec& parameter, Task base, std::string_view what) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{} has no head for this task: tensor '{}' of shape [{}] is missing. Try --task {} or a "
                          "checkpoint trained for this task.",
                          what, parameter.name, fmt::join(parameter.shape, ", "), name_of(base)));
}

[[noreturn]] void raise_missing(const TensorSpec& parameter, const SafetensorsEntries& entries,
                                const std::set<std::string>& used, std::string_view what) {
  std::vector<std::string> unused;
  for (const auto& [name, entry] : entries) {
    if (used.count(name) == 0) unused.push_back(name);
  }
  throw Error(ErrorKind::kBadInput, fmt::format("{} has no tensor '{}' of shape [{}].{}", what, parameter.name,
                                                fmt::join(parameter.shape, ", "), hint(parameter.name, unused)));
}

void check_fits(const TensorSpec& parameter, const std::string& name, const SafetensorsEntry& entry,
                std::string_view what) {
  if (entry.shape != parameter.shape) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: tensor '{}' has shape [{}], but config.json requires [{}].", what, name,
                            fmt::join(entry.shape, ", "), fmt::join(parameter.shape, ", ")));
  }
  const std::vector<std::string> allowed = {"F64", "F32", "F16", "BF16"};
  if (std::find(allowed.begin(), allowed.end(), entry.dtype) == allowed.end()) {
    throw bad_value(fmt::format("{}: tensor '{}': dtype", what, name), entry.dtype,
                    fmt::format("one of {}", fmt::join(allowed, ", ")));
  }
}

[[noreturn]] void raise_surplus(const std::string& name, const SafetensorsEntry& entry,
                                const std::vector<TensorSpec>& inventory, std::string_view what) {
  std::vector<std::string> expected;
  for (const TensorSpec& parameter : inventory) expected.push_back(parameter.name);
  throw Error(ErrorKind::kBadInput, fmt::format("{} has an unexpected tensor '{}' of shape [{}].{}", what, name,
                                                fmt::join(entry.shape, ", "), hint(name, expected)));
}

// Which parameters the files have, and which they lack.
class Matching {
 public:
  Matching(const ModelConfig& config, Task task, const SafetensorsEntries& entries, std::string_view what)
      : config_(config),
        architecture_(*config.architecture),
        inventory_(stored_inventory(config, task)),
        other_tower_(other_tower(config, task)),
        entries_(entries),
        what_(what) {
    for (const TensorSpec& parameter : inventory_) find(parameter);
  }

  /// Pointers into the inventory.
  const std::vector<const TensorSpec*>& missing() const { return missing_; }
  [[noreturn]] void raise_missing(const TensorSpec& parameter) const {
    transformeter::raise_missing(parameter, entries_, used_, what_);
  }

  CheckpointMatch take() {
    for (const MatchedTensor& one : match_.tensors) check_fits(one.parameter, one.file_name, one.entry, what_);
    for (const auto& [name, entry] : entries_) {
      if (used_.count(name) > 0) continue;
      const bool is_expected = other_tower_.count(name) > 0 || is_harmless(config_, name, inventory_);
      if (!is_expected) raise_surplus(name, entry, inventory_, what_);
      match_.ignored.push_back(name);
    }
    return std::move(match_);
  }

 private:
  void find(const TensorSpec& parameter) {
    const std::vector<std::string> names = candidates(architecture_, parameter);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const std::string& name) { return entries_.count(name) > 0; });
    if (found == names.end()) {
      missing_.push_back(&parameter);
      return;
    }
    used_.insert(*found);
    match_.tensors.push_back({parameter, *found, entries_.at(*found)});
  }

  const ModelConfig& config_;
  const Architecture& architecture_;
  std::vector<TensorSpec> inventory_;
  std::set<std::string> other_tower_;
  const SafetensorsEntries& entries_;
  std::string_view what_;
  CheckpointMatch match_;
  std::set<std::string> used_;
  std::vector<const TensorSpec*> missing_;
};

std::string name_of_files(const Checkpoint& checkpoint) {
  return checkpoint.files.size() == 1 ? checkpoint.files.front().path.string() : checkpoint.folder.string();
}

// Names of a head's tensors layer by layer, the output last; without those that are shared with the embeddings.
std::vector<std::vector<std::string>> layers_of_head(const HeadSpec& head) {
  std::vector<std::vector<std::string>> layers;
  const auto add = [&](const LinearSpec& linear) {
    std::vector<std::string>& names = layers.emplace_back();
    if (!linear.is_tied()) names.push_back(linear.weight);
    if (!linear.bias.empty()) names.push_back(linear.bias);
  };
  if (head.dense) add(*head.dense);
  if (head.norm) {
    layers.push_back({head.norm->name + ".weight"});
    if (head.norm->kind == NormKind::kLayer) layers.back().push_back(head.norm->name + ".bias");
  }
  if (head.output) add(*head.output);
  return layers;
}

// Capitals aside.
bool are_alike(const std::vector<std::string>& names, const std::vector<std::string>& labels) {
  return std::equal(
      names.begin(), names.end(), labels.begin(), labels.end(),
      [](const std::string& one, const std::string& other) { return lower_case(one) == lower_case(other); });
}

// Whether the checkpoint's classes are not those that are asked for: of another count, other names or the other kind.
bool has_other_classes(const Checkpoint& checkpoint, Task task, std::optional<std::int64_t> num_labels,
                       const std::vector<std::string>& names) {
  if (!has_classes(head_of(task))) return false;
  if (!names.empty() && has_class_names(checkpoint.config) && !are_alike(names, checkpoint.config.labels)) return true;
  const auto saved = task_of(checkpoint.config);
  return (saved && has_classes(head_of(*saved)) && head_of(*saved) != head_of(task)) ||
         (num_labels && *num_labels != checkpoint.config.num_labels);
}

// Layers of a head are there whole or not at all, and the last only with those before it.
void check_head(const Matching& matching, const HeadSpec& head) {
  std::set<std::string> missing;
  for (const TensorSpec* parameter : matching.missing()) missing.insert(parameter->name);
  const std::vector<std::vector<std::string>> layers = layers_of_head(head);
  std::set<std::string> new_ones;
  for (const std::vector<std::string>& layer : layers) {
    const auto is_missing = [&](const std::string& name) { return missing.count(name) > 0; };
    if (std::all_of(layer.begin(), layer.end(), is_missing)) new_ones.insert(layer.begin(), layer.end());
  }
  const bool has_output = layers.empty() || layers.back().empty() || new_ones.count(layers.back().front()) == 0;
  for (const TensorSpec* parameter : matching.missing()) {
    if (has_output || new_ones.count(parameter->name) == 0) matching.raise_missing(*parameter);
  }
}

std::string_view bytes_of(const Checkpoint& checkpoint, const SafetensorsEntry& entry) {
  return checkpoint.files[entry.file].mapping.bytes().substr(entry.begin, entry.end - entry.begin);
}

}  // namespace

bool has_own_decoder(const Checkpoint& checkpoint) {
  const Architecture& architecture = *checkpoint.config.architecture;
  if (!architecture.draw) return false;
  const ConfigReader reader(checkpoint.config.source, architecture.family);
  const auto entry_of = [&](const std::string& name) -> const SafetensorsEntry* {
    for (const std::string& candidate : candidates(architecture, {name, {0, 0}, Initialization::kNormal, "", 1})) {
      const auto found = checkpoint.entries.find(candidate);
      if (found != checkpoint.entries.end()) return &found->second;
    }
    return nullptr;
  };
  return std::any_of(architecture.heads.begin(), architecture.heads.end(), [&](HeadKind kind) {
    const bool decodes_words =
        kind == HeadKind::kMaskedTokens || kind == HeadKind::kNextToken || kind == HeadKind::kTargetTokens;
    if (!decodes_words) return false;
    const std::optional<LinearSpec> output = architecture.draw(reader, checkpoint.config, kind).head.output;
    if (!output || !output->is_tied()) return false;
    const SafetensorsEntry* own = entry_of(output->tied_weight);
    const SafetensorsEntry* words = entry_of(output->weight);
    return own != nullptr && words != nullptr && bytes_of(checkpoint, *own) != bytes_of(checkpoint, *words);
  });
}

CheckpointMatch match_checkpoint(const ModelConfig& config, Task task, const SafetensorsEntries& entries,
                                 std::string_view what) {
  Matching matching(config, task, entries, what);
  const std::vector<const TensorSpec*>& missing = matching.missing();
  // A wrong name shows as missing and as surplus; what is missing says more.
  if (!missing.empty() && are_of_head(missing, config) && !has_head(*config.architecture, entries)) {
    raise_headless(*missing.front(), base_task(*config.architecture), what);
  }
  if (!missing.empty()) matching.raise_missing(*missing.front());
  return matching.take();
}

CheckpointMatch match_checkpoint(const Checkpoint& checkpoint, Task task) {
  return match_checkpoint(checkpoint.config, task, checkpoint.entries, name_of_files(checkpoint));
}

TrainingMatch match_for_training(const Checkpoint& checkpoint, Task task, std::optional<std::int64_t> num_labels,
                                 const std::vector<std::string>& names) {
  check_decoder_start(checkpoint, task);
  TrainingMatch training{checkpoint.config, {}, {}};
  SafetensorsEntries entries = checkpoint.entries;
  std::vector<std::string> set_aside;
  if (has_other_classes(checkpoint, task, num_labels, names)) {
    training.config.num_labels = num_labels.value_or(checkpoint.config.num_labels);
    training.config.labels.clear();
    const std::vector<std::vector<std::string>> layers = layers_of_head(draw_blueprint(training.config, task).head);
    for (const std::string& name : layers.back()) {
      if (entries.erase(name) > 0) set_aside.push_back(name);
    }
  }
  const std::string what = name_of_files(checkpoint);
  Matching matching(training.config, task, entries, what);
  // What compares images with captions is pretrained: a drawn projection would compare nothing.
  if (has_captions(task) && !matching.missing().empty()) matching.raise_missing(*matching.missing().front());
  check_head(matching, draw_blueprint(training.config, task).head);
  for (const TensorSpec* parameter : matching.missing()) training.added.push_back(*parameter);
  training.match = matching.take();
  training.match.ignored.insert(training.match.ignored.end(), set_aside.begin(), set_aside.end());
  return training;
}

}  // namespace transformeter
