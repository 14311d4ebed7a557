// Options of `predict` for text that is generated: how much of it, and how it is searched for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/declaration.h"
#include "schema/beam_settings.h"
#include "schema/prediction.h"
#include "schema/task.h"
#include "spec/generation_settings.h"

namespace transformeter {

/// Bound to its options: it stays where it is.
class GeneratedTextOptions {
 public:
  GeneratedTextOptions() = default;
  GeneratedTextOptions(const GeneratedTextOptions&) = delete;
  GeneratedTextOptions& operator=(const GeneratedTextOptions&) = delete;

  void declare(std::vector<OptionDeclaration>& options, const std::string& group);

  /// Throws Error(kBadInput) for values that no model takes.
  void check_values() const;
  /// Throws Error(kBadInput) where one is given to a task that generates no text.
  void check_task(Task task) const;
  /// Throws Error(kBadInput) for an option of several beams where there is one; `folder`: what the model's files say.
  void check_beams(const GenerationSettings& folder) const;

  /// Those that are given.
  void apply_to(PredictionOptions& options) const;

 private:
  GenerationOverrides overrides() const;

  std::optional<std::int64_t> max_new_tokens_;
  std::optional<std::int64_t> num_beams_;
  std::optional<std::string> length_penalty_;
  std::optional<std::string> early_stopping_;
  std::optional<std::int64_t> no_repeat_ngram_size_;
};

}  // namespace transformeter
