// Keys as in transformers/generation/configuration_utils.py of Transformers 5.23.
#include "spec/generation_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "spec/config_reader.h"

namespace transformeter {

namespace {

namespace fs = std::filesystem;

// What changes text in Transformers and is not computed here, with the value that changes nothing.
struct RefusedKey {
  const char* key;
  double neutral;
};
constexpr std::array kRefusedNumbers{RefusedKey{"num_beam_groups", 1},
                                     RefusedKey{"guidance_scale", 1},
                                     RefusedKey{"penalty_alpha", 0},
                                     RefusedKey{"diversity_penalty", 0},
                                     RefusedKey{"encoder_repetition_penalty", 1},
                                     RefusedKey{"encoder_no_repeat_ngram_size", 0}};
constexpr std::array kRefused{"sequence_bias",       "forced_bos_token_id",
                              "forced_eos_token_id", "force_words_ids",
                              "constraints",         "exponential_decay_length_penalty",
                              "stop_strings",        "dola_layers",
                              "watermarking_config", "prompt_lookup_num_tokens"};

std::vector<std::int64_t> tokens_of(const ConfigReader& reader, const char* key, const Json& value) {
  std::vector<std::int64_t> tokens;
  for (const Json& id : value.is_array() ? value : Json::array({value})) {
    const auto number = whole_number<std::int64_t>(id);
    if (!number) throw reader.bad(key, value, "a token id, or a list of them");
    tokens.push_back(*number);
  }
  return tokens;
}

std::vector<std::int64_t> tokens_of(const ConfigReader& reader, const char* key) {
  const Json* value = reader.find(key);
  return value == nullptr ? std::vector<std::int64_t>() : tokens_of(reader, key, *value);
}

std::vector<std::vector<std::int64_t>> words_of(const ConfigReader& reader) {
  const Json* words = reader.find("bad_words_ids");
  if (words == nullptr) return {};
  std::vector<std::vector<std::int64_t>> sequences;
  for (const Json& word : words->is_array() ? *words : Json::array({0})) {
    if (!word.is_array() || word.empty()) throw reader.bad("bad_words_ids", *words, "a list of lists of token ids");
    sequences.push_back(tokens_of(reader, "bad_words_ids", word));
  }
  return sequences;
}

std::string refusal_of(const ConfigReader& reader) {
  for (const auto& [key, neutral] : kRefusedNumbers) {
    const Json* value = reader.find(key);
    if (value != nullptr && *value != neutral) return fmt::format("{} '{}'", reader.field(key), value->dump());
  }
  for (const char* const key : kRefused) {
    const Json* value = reader.find(key);
    if (value != nullptr && *value != false) return fmt::format("{} '{}'", reader.field(key), value->dump());
  }
  return {};
}

double length_penalty_of(const ConfigReader& reader) {
  const Json* value = reader.find("length_penalty");
  if (value == nullptr) return BeamSettings().length_penalty;
  if (value->is_number() && std::abs(value->get<double>()) <= kLargestLengthPenalty) return value->get<double>();
  throw reader.bad("length_penalty", *value,
                   fmt::format("a number from -{} to {}", kLargestLengthPenalty, kLargestLengthPenalty));
}

EarlyStopping early_stopping_of(const ConfigReader& reader) {
  const Json* value = reader.find("early_stopping");
  if (value == nullptr || *value == false) return EarlyStopping::kOff;
  if (*value == true) return EarlyStopping::kOn;
  if (*value == "never") return EarlyStopping::kNever;
  throw reader.bad("early_stopping", *value, "true, false or \"never\"");
}

// generation_config.json, or config.json in a folder without one.
struct GenerationFile {
  Json json;
  fs::path path;
  bool is_own = false;
};

GenerationFile generation_file(const fs::path& folder, const Json& config) {
  const fs::path own = folder / "generation_config.json";
  std::error_code ignored;
  if (!fs::is_regular_file(own, ignored)) return {config, folder / "config.json", false};
  return {parse_json(own.string(), read_file(own)), own, true};
}

// The first that is there counts.
constexpr std::array kStartKeys{"decoder_start_token_id", "bos_token_id"};

}  // namespace

bool GenerationSettings::has_rules() const {
  return repetition_penalty != 1 || no_repeat_ngram_size > 0 || min_new_tokens > 0 || min_length > 0 ||
         !suppressed.empty() || !suppressed_first.empty() || !bad_words.empty();
}

GenerationSettings read_generation_settings(const fs::path& folder, const Json& config) {
  const GenerationFile file = generation_file(folder, config);
  const ConfigReader reader(file.json, file.path.string());
  constexpr double kLargestPenalty = 1e6;
  GenerationSettings settings;
  settings.repetition_penalty = reader.number("repetition_penalty", 1, kLargestPenalty);
  if (settings.repetition_penalty == 0) throw reader.bad("repetition_penalty", 0, "a number above 0");
  settings.no_repeat_ngram_size = reader.integer("no_repeat_ngram_size", 0, 0, kMaxPositions);
  settings.min_new_tokens = reader.integer("min_new_tokens", 0, 0, kMaxPositions);
  settings.min_length = reader.integer("min_length", 0, 0, kMaxPositions);
  settings.suppressed = tokens_of(reader, "suppress_tokens");
  settings.suppressed_first = tokens_of(reader, "begin_suppress_tokens");
  settings.bad_words = words_of(reader);
  settings.renormalizes = reader.flag("renormalize_logits", false);
  settings.beams = {reader.integer("num_beams", 1, 1, kMostBeams), length_penalty_of(reader),
                    early_stopping_of(reader)};
  for (const char* const key : kStartKeys) {
    const Json* id = reader.find(key);
    if (!settings.start && id != nullptr) settings.start = whole_number<std::int64_t>(*id);
  }
  if (file.is_own) settings.ends = tokens_of(reader, "eos_token_id");
  settings.refusal = refusal_of(reader);
  return settings;
}

GenerationSettings overridden(GenerationSettings settings, const GenerationOverrides& overrides) {
  BeamSettings& beams = settings.beams;
  beams.num_beams = overrides.num_beams.value_or(beams.num_beams);
  beams.length_penalty = overrides.length_penalty.value_or(beams.length_penalty);
  beams.early_stopping = overrides.early_stopping.value_or(beams.early_stopping);
  settings.no_repeat_ngram_size = overrides.no_repeat_ngram_size.value_or(settings.no_repeat_ngram_size);
  return settings;
}

void check_start_token(const fs::path& folder, const Json& config, std::int64_t vocabulary) {
  const GenerationFile file = generation_file(folder, config);
  const ConfigReader reader(file.json, file.path.string());
  const auto is_there = [&](const char* key) { return reader.find(key) != nullptr; };
  const auto key = std::find_if(kStartKeys.begin(), kStartKeys.end(), is_there);
  if (key != kStartKeys.end()) reader.integer(*key, 0, 0, vocabulary - 1);
}

}  // namespace transformeter
