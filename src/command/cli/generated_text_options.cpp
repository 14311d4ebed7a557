// Values are checked before a model is opened; what only makes sense with several beams once its files are read.
#include "cli/generated_text_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "spec/config_reader.h"

namespace transformeter {
namespace {

constexpr std::int64_t kMaxNewTokens = 1 << 20;

double length_penalty_from(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (number && std::abs(*number) <= kLargestLengthPenalty) return *number;
  throw bad_value("length-penalty", text,
                  fmt::format("a number from -{} to {}", kLargestLengthPenalty, kLargestLengthPenalty),
                  "Above 0 it favours long texts.");
}

void check_count(const char* what, const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high) {
  if (!value || (*value >= low && *value <= high)) return;
  throw bad_value(what, std::to_string(*value), fmt::format("a whole number from {} to {}", low, high));
}

}  // namespace

void GeneratedTextOptions::declare(std::vector<OptionDeclaration>& options, const std::string& group) {
  const auto add = [&](const char* name, OptionTarget target, const char* placeholder, const char* help) {
    options.push_back({.names = {name},
                       .target = target,
                       .placeholder = placeholder,
                       .help = help,
                       .group = group,
                       .is_common = false});
  };
  add("--max-new-tokens", &max_new_tokens_, "N", "causal_lm, seq2seq_lm: maximum tokens to generate");
  options.back().initial = std::to_string(PredictionOptions().max_new_tokens);
  add("--num-beams", &num_beams_, "N",
      "causal_lm, seq2seq_lm: beams to search with; 1: greedy; default: generation_config.json, else 1");
  add("--length-penalty", &length_penalty_, "NUMBER",
      "with beams: scores are divided by tokens^NUMBER; default: generation_config.json, else 1");
  add("--early-stopping", &early_stopping_, "on|off|never",
      "with beams: on: end once num-beams texts are finished; default: generation_config.json, else off");
  options.back().words = early_stopping_words();
  options.back().has_only_words = true;
  add("--no-repeat-ngram-size", &no_repeat_ngram_size_, "N",
      "causal_lm, seq2seq_lm: no N tokens in a row twice; 0: allow; default: as in generation_config.json");
}

void GeneratedTextOptions::check_values() const {
  check_count("max-new-tokens", max_new_tokens_, 1, kMaxNewTokens);
  check_count("num-beams", num_beams_, 1, kMostBeams);
  check_count("no-repeat-ngram-size", no_repeat_ngram_size_, 0, kMaxPositions);
  overrides();
}

void GeneratedTextOptions::check_task(Task task) const {
  if (generates_text(task)) return;
  const auto check = [&](const char* option, bool is_given) {
    if (!is_given) return;
    throw Error(ErrorKind::kBadInput, fmt::format("{} is for --task {} or {}, not for {}", option,
                                                  name_of(Task::kCausalLm), name_of(Task::kSeq2SeqLm), name_of(task)));
  };
  check("--max-new-tokens", max_new_tokens_.has_value());
  check("--num-beams", num_beams_.has_value());
  check("--length-penalty", length_penalty_.has_value());
  check("--early-stopping", early_stopping_.has_value());
  check("--no-repeat-ngram-size", no_repeat_ngram_size_.has_value());
}

void GeneratedTextOptions::check_beams(const GenerationSettings& folder) const {
  if (overridden(folder, overrides()).beams.num_beams > 1) return;
  const auto check = [](const char* what, const std::optional<std::string>& value) {
    if (!value) return;
    throw refused_value(what, *value, "it applies to several beams, and text is generated greedily",
                        "Use --num-beams 2 or more.");
  };
  check("length-penalty", length_penalty_);
  check("early-stopping", early_stopping_);
}

void GeneratedTextOptions::apply_to(PredictionOptions& options) const {
  options.max_new_tokens = max_new_tokens_.value_or(options.max_new_tokens);
  options.generation = overrides();
}

GenerationOverrides GeneratedTextOptions::overrides() const {
  GenerationOverrides given;
  given.num_beams = num_beams_;
  if (length_penalty_) given.length_penalty = length_penalty_from(*length_penalty_);
  if (early_stopping_) given.early_stopping = early_stopping_from(*early_stopping_);
  given.no_repeat_ngram_size = no_repeat_ngram_size_;
  return given;
}

}  // namespace transformeter
