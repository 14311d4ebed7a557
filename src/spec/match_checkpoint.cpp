// Which tensor of a file serves which parameter, and what may be left over.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "spec/checkpoint.h"

namespace transformeter {

namespace {

constexpr std::string_view kPrefixes[] = {"bert.", "distilbert."};

std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.substr(0, prefix.size()) == prefix) return name.substr(prefix.size());
  }
  return name;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The names a file may use for one parameter, the usual one first.
std::vector<std::string> candidates(const TensorSpec& parameter) {
  std::vector<std::string> names = {parameter.name, std::string(without_prefix(parameter.name))};
  if (!parameter.tied_name.empty()) names.push_back(parameter.tied_name);
  // Checkpoints converted from TensorFlow, bert-base-uncased among them, keep its names for LayerNorm.
  for (const auto& [now, then] : {std::pair(".weight", ".gamma"), std::pair(".bias", ".beta")}) {
    const std::string end = std::string("LayerNorm") + now;
    if (!ends_with(parameter.name, end)) continue;
    for (const std::string_view name : {std::string_view(parameter.name), without_prefix(parameter.name)}) {
      names.push_back(std::string(name.substr(0, name.size() - std::string_view(now).size())) + then);
    }
  }
  return names;
}

constexpr std::string_view kHeads[] = {"classifier.",       "pre_classifier.",  "qa_outputs.", "vocab_transform.",
                                       "vocab_layer_norm.", "vocab_projector.", "cls.",        "pooler."};

bool is_head(std::string_view name) {
  const std::string_view bare = without_prefix(name);
  return std::any_of(std::begin(kHeads), std::end(kHeads),
                     [&](std::string_view head) { return bare.substr(0, head.size()) == head; });
}

bool is_harmless(std::string_view name, const std::vector<TensorSpec>& inventory) {
  const std::string_view bare = without_prefix(name);
  if (bare == "embeddings.position_ids" || bare == "embeddings.token_type_ids") return true;
  if (is_head(name)) return true;
  return std::any_of(inventory.begin(), inventory.end(), [&](const TensorSpec& parameter) {
    return !parameter.tied_name.empty() && parameter.tied_name == name;
  });
}

std::string hint(std::string_view name, const std::vector<std::string>& names) {
  const auto near = nearest(name, names);
  return near ? fmt::format(" The nearest name is '{}'.", *near) : "";
}

// Whether the file has any part of a task's head; a pooler belongs to the encoder.
bool has_head(const SafetensorsEntries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return is_head(entry.first) && without_prefix(entry.first).substr(0, 7) != "pooler.";
  });
}

// An encoder alone can be measured as what it is.
[[noreturn]] void raise_headless(const TensorSpec& parameter, std::string_view what) {
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("{} has no head for this task: tensor '{}' of shape [{}] is missing. Try --task embedding, or "
                  "a checkpoint that was trained for the task.",
                  what, parameter.name, fmt::join(parameter.shape, ", ")));
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
                fmt::format("{}: tensor '{}' has shape [{}], but config.json asks for [{}].", what, name,
                            fmt::join(entry.shape, ", "), fmt::join(parameter.shape, ", ")));
  }
  const std::vector<std::string> allowed = {"F64", "F32", "F16", "BF16"};
  if (std::find(allowed.begin(), allowed.end(), entry.dtype) == allowed.end()) {
    throw bad_value(fmt::format("{}: tensor '{}': dtype", what, name), entry.dtype,
                    fmt::format("weights must be {}", fmt::join(allowed, ", ")));
  }
}

}  // namespace

CheckpointMatch match_checkpoint(const std::vector<TensorSpec>& inventory, const SafetensorsEntries& entries,
                                 std::string_view what) {
  CheckpointMatch match;
  std::set<std::string> used;
  std::vector<const TensorSpec*> missing;
  for (const TensorSpec& parameter : inventory) {
    const std::vector<std::string> names = candidates(parameter);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const std::string& name) { return entries.count(name) > 0; });
    if (found == names.end()) {
      missing.push_back(&parameter);
      continue;
    }
    used.insert(*found);
    match.tensors.push_back({parameter, *found, entries.at(*found)});
  }
  // A wrong name shows as missing and as surplus; what is missing says more.
  const bool is_headless = !missing.empty() && std::all_of(missing.begin(), missing.end(),
                                                           [](const TensorSpec* one) { return is_head(one->name); });
  if (is_headless && !has_head(entries)) raise_headless(*missing.front(), what);
  if (!missing.empty()) raise_missing(*missing.front(), entries, used, what);
  for (const MatchedTensor& tensor : match.tensors) check_fits(tensor.parameter, tensor.file_name, tensor.entry, what);

  for (const auto& [name, entry] : entries) {
    if (used.count(name) > 0) continue;
    if (!is_harmless(name, inventory)) {
      std::vector<std::string> expected;
      for (const TensorSpec& parameter : inventory) expected.push_back(parameter.name);
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} has a tensor '{}' of shape [{}] that the model does not know.{}", what, name,
                              fmt::join(entry.shape, ", "), hint(name, expected)));
    }
    match.ignored.push_back(name);
  }
  return match;
}

}  // namespace transformeter
