// How texts are searched for with several beams, and what a user asks for in place of what generation_config.json says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// When a search with all its places for finished texts taken ends.
enum class EarlyStopping {
  kOff,    // once the best text that goes on scores no better, as it is, than the worst finished one
  kOn,     // at once
  kNever,  // once no text that goes on can score better, however long it may get
};

/// "off", "on", "never".
std::string_view name_of(EarlyStopping stopping);
std::vector<std::string> early_stopping_words();
/// Throws Error(kBadInput) naming the words for another one.
EarlyStopping early_stopping_from(std::string_view word);

inline constexpr std::int64_t kMostBeams = 1024;
inline constexpr double kLargestLengthPenalty = 10;  // and its negative

struct BeamSettings {
  std::int64_t num_beams = 1;  // texts that go on at a time; 1: greedy
  double length_penalty = 1;   // a finished text's score: Σ log probabilities ÷ tokens^penalty
  EarlyStopping early_stopping = EarlyStopping::kOff;
  bool operator==(const BeamSettings&) const = default;
};

/// How many continuations of all beams of an input are looked at after each pass: so many that as many as there are
/// beams go on, though all others end. `ends`: how many tokens end a text.
std::int64_t candidates_of_beams(std::int64_t num_beams, std::int64_t ends);
/// Throws Error(kUnsupported) for more beams than a vocabulary of so many tokens has candidates for.
void check_vocabulary_of_beams(std::int64_t num_beams, std::int64_t ends, std::int64_t vocab_size);

/// Of text that is generated; nothing: as generation_config.json says.
struct GenerationOverrides {
  std::optional<std::int64_t> num_beams;
  std::optional<double> length_penalty;
  std::optional<EarlyStopping> early_stopping;
  std::optional<std::int64_t> no_repeat_ngram_size;
};

/// An object of those that are given.
Json to_json(const GenerationOverrides& overrides);
/// The reverse. Throws Json::exception, Error(kBadInput) or Error(kProtocol) for what to_json never writes.
GenerationOverrides generation_overrides_from(const Json& json);

}  // namespace transformeter
