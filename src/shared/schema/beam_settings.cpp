// Words and messages.
#include "schema/beam_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::array<std::pair<EarlyStopping, std::string_view>, 3> kStoppingWords{
    {{EarlyStopping::kOff, "off"}, {EarlyStopping::kOn, "on"}, {EarlyStopping::kNever, "never"}}};

std::optional<std::int64_t> whole_count(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  if (const auto number = whole_number<std::int64_t>(json.at(key))) return number;
  throw Error(ErrorKind::kProtocol, fmt::format("'{}' of generated text is not a whole number", key));
}

}  // namespace

std::string_view name_of(EarlyStopping stopping) {
  for (const auto& [one, word] : kStoppingWords) {
    if (one == stopping) return word;
  }
  throw Error(ErrorKind::kInternal, "a kind of early stopping has no name");
}

std::vector<std::string> early_stopping_words() {
  std::vector<std::string> words;
  for (const auto& [one, word] : kStoppingWords) words.emplace_back(word);
  return words;
}

EarlyStopping early_stopping_from(std::string_view word) {
  for (const auto& [one, known] : kStoppingWords) {
    if (known == word) return one;
  }
  throw unknown_value("early-stopping", word, early_stopping_words());
}

std::int64_t candidates_of_beams(std::int64_t num_beams, std::int64_t ends) {
  return std::max<std::int64_t>(2, 1 + ends) * num_beams;
}

void check_vocabulary_of_beams(std::int64_t num_beams, std::int64_t ends, std::int64_t vocab_size) {
  const std::int64_t candidates = candidates_of_beams(num_beams, ends);
  if (vocab_size >= candidates) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("num_beams {} needs a vocabulary of {} tokens or more, but the model's has {}; use fewer",
                          num_beams, candidates, vocab_size));
}

Json to_json(const GenerationOverrides& overrides) {
  Json json = Json::object();
  if (overrides.num_beams) json["num_beams"] = *overrides.num_beams;
  if (overrides.length_penalty) json["length_penalty"] = *overrides.length_penalty;
  if (overrides.early_stopping) json["early_stopping"] = name_of(*overrides.early_stopping);
  if (overrides.no_repeat_ngram_size) json["no_repeat_ngram_size"] = *overrides.no_repeat_ngram_size;
  return json;
}

GenerationOverrides generation_overrides_from(const Json& json) {
  GenerationOverrides overrides;
  overrides.num_beams = whole_count(json, "num_beams");
  if (json.contains("length_penalty")) overrides.length_penalty = json.at("length_penalty").get<double>();
  if (json.contains("early_stopping")) {
    overrides.early_stopping = early_stopping_from(json.at("early_stopping").get<std::string>());
  }
  overrides.no_repeat_ngram_size = whole_count(json, "no_repeat_ngram_size");
  return overrides;
}

}  // namespace transformeter
