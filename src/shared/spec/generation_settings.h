// What generation_config.json says of a text that is generated without sampling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/beam_settings.h"

namespace transformeter {

/// Which tokens are likelier, less likely or excluded at each step, and how many texts are searched at a time. Sampling
/// and its keys (temperature, top_k, …) have no part in it.
struct GenerationSettings {
  double repetition_penalty = 1;               // scores of tokens that are there: divided by it, or times it below 0
  std::int64_t no_repeat_ngram_size = 0;       // no so many tokens in a row come twice; 0: they may
  std::int64_t min_new_tokens = 0;             // no end token before
  std::int64_t min_length = 0;                 // the same, of prompt and text together
  std::vector<std::int64_t> suppressed;        // never
  std::vector<std::int64_t> suppressed_first;  // not as the first token
  std::vector<std::vector<std::int64_t>> bad_words;  // sequences that never come
  bool renormalizes = false;  // of several beams: after all rules, probabilities add up to 1 again
  BeamSettings beams;
  std::optional<std::int64_t> start;  // the decoder's first token: decoder_start_token_id, else bos_token_id
  std::optional<std::vector<std::int64_t>> ends;  // eos_token_id, none where the file has none; nothing: no file
  std::string refusal;                            // what is not computed here, by name; empty: nothing

  /// Whether scores of tokens are changed.
  bool has_rules() const;
  bool operator==(const GenerationSettings&) const = default;
};

/// With what a user gives in place of it.
GenerationSettings overridden(GenerationSettings settings, const GenerationOverrides& overrides);

/// Of a folder without the file, the rules that `config`, its config.json, has. Throws Error(kBadInput) naming file,
/// key and value.
GenerationSettings read_generation_settings(const std::filesystem::path& folder, const Json& config);

/// Throws Error(kBadInput) where the key that GenerationSettings::start is read from holds no token of `vocabulary`.
void check_start_token(const std::filesystem::path& folder, const Json& config, std::int64_t vocabulary);

}  // namespace transformeter
