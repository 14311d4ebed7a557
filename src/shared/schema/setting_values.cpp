// One value of a setting, from what a user typed and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "schema/baseline.h"
#include "schema/settings.h"
#include "schema/task.h"

namespace transformeter {
namespace {

using enum SettingKind;

bool is_word(const SettingTerm& term, std::string_view text) {
  const std::vector<std::string> words = setting_words(term);
  return std::find(words.begin(), words.end(), text) != words.end();
}

Json parse_count(const SettingTerm& term, std::string_view text) {
  const auto number = parse_integer(text);
  if (number && *number >= term.minimum && *number <= term.maximum) return *number;
  const std::string words = term.words.empty() ? "" : fmt::format(", or {}", fmt::join(setting_words(term), ", "));
  throw bad_value(term.name, text, fmt::format("a whole number from {} to {}{}", term.minimum, term.maximum, words));
}

// What PyTorch calls the precisions.
std::optional<std::string_view> known_synonym(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
      {"float32", "fp32"}, {"float", "fp32"}, {"float16", "fp16"}, {"half", "fp16"}, {"bfloat16", "bf16"}};
  for (const auto& [synonym, ours] : kSynonyms) {
    if (word == synonym) return ours;
  }
  return std::nullopt;
}

// "cuda" is the first GPU, so that one device has one name.
Json parse_place(const SettingTerm& term, std::string_view text) {
  constexpr std::string_view kPrefix = "cuda:";
  constexpr long long kMaxGpus = 1024;
  if (text == "cuda") return "cuda:0";
  if (is_word(term, text)) return std::string(text);
  if (text.substr(0, kPrefix.size()) == kPrefix) {
    const auto ordinal = parse_integer(text.substr(kPrefix.size()));
    if (ordinal && *ordinal >= 0 && *ordinal < kMaxGpus) return fmt::format("cuda:{}", *ordinal);
    throw bad_value(term.name, text, "cuda:0, cuda:1 and so on");
  }
  throw unknown_value(term.name, text, setting_words(term));
}

Json parse_ratio(const SettingTerm& term, std::string_view text) {
  const auto number = parse_number(text);
  if (number && *number >= 0 && *number < 1) return *number + 0.0;  // no -0
  throw bad_value(term.name, text, "a number from 0 to below 1, e.g. 0.25");
}

Json parse_positive(const SettingTerm& term, std::string_view text) {
  const auto number = parse_number(text);
  if (number && *number > 0 && std::isfinite(*number)) return *number;
  const std::string words = term.words.empty() ? "" : fmt::format(", or {}", fmt::join(setting_words(term), ", "));
  throw bad_value(term.name, text, fmt::format("a number above 0{}", words),
                  term.name == "learning_rate" ? "With a rate of 0 nothing is learned." : "");
}

Json parse_flag(const SettingTerm& term, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw bad_value(term.name, text, "true or false");
}

}  // namespace

std::vector<std::string> setting_words(const SettingTerm& term) {
  return term.words.empty() ? std::vector<std::string>{} : split(term.words, ',');
}

std::optional<std::string> typed_word(const SettingTerm& term, std::string_view text) {
  if (term.words.empty()) return std::nullopt;
  std::string word(text);
  if (is_word(term, word)) return word;
  std::replace(word.begin(), word.end(), '-', '_');
  if (is_word(term, word)) return word;
  if (!std::holds_alternative<Task Case::*>(term.member)) return std::nullopt;
  const auto task = typed_task(word);
  return task ? std::optional<std::string>(name_of(*task)) : std::nullopt;
}

Json parse_setting(const SettingTerm& term, std::string_view text) {
  text = trim(text);
  if (term.kind != kPlace) {
    if (auto word = typed_word(term, text)) return *word;
  }
  switch (term.kind) {
    case kText:
      if (text.empty()) throw bad_value(term.name, text, "text that is not empty");
      if (first_invalid_utf8(text)) throw bad_value(term.name, "(not UTF-8)", "UTF-8 text");
      return std::string(text);
    case kChoice:
      if (const auto known = known_synonym(text); known && is_word(term, *known)) {
        throw Error(ErrorKind::kBadInput, fmt::format("{} '{}' is not known. Use '{}'.", term.name, text, *known));
      }
      throw unknown_value(term.name, text, setting_words(term));
    case kPlace:
      return parse_place(term, text);
    case kCount:
      return parse_count(term, text);
    case kDuration:
      return parse_duration(term.name, text).count();
    case kBytes:
      return parse_bytes(term.name, text);
    case kRatio:
      return parse_ratio(term, text);
    case kPositive:
      return parse_positive(term, text);
    case kFlag:
      return parse_flag(term, text);
    case kBaseline:
      return parse_baseline(text);
  }
  throw Error(ErrorKind::kInternal, fmt::format("setting '{}' has no parser", term.name));
}

std::string setting_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    std::string text = fmt::format("{}", value.get<double>());
    if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  }
  return value.is_object() ? baseline_text(value) : canonical_json(value);
}

}  // namespace transformeter
