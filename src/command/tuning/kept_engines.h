// What engine `auto` chose, kept beyond the run: one file for each machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/log.h"
#include "metrics/quads.h"

namespace transformeter {

/// How a search ended.
enum class SearchEnd {
  kBetter,        // the chosen settings beat the start's when both were measured once more
  kLikelyBetter,  // the same, but undecided: faster in the middle, and nowhere in the interval 3 % slower
  kNoBetter,      // every point was compared, and none was better
  kOutOfTime,     // none was shown to be better, but not all were compared
  kNoRoom,        // memory does not hold two workers at once
  kNoStart,       // the start itself cannot be chosen, so there is nothing to compare with
};

/// "better", "likely_better", "no_better", "out_of_time", "no_room", "no_start".
std::string_view name_of(SearchEnd end);

struct EngineChoice {
  std::string start;              // the named engine that it started with; "auto": none has the same settings
  Json changes = Json::object();  // settings that differ from the start's
  SearchEnd end = SearchEnd::kOutOfTime;
  std::string reason;                  // of kNoStart: why
  std::string objective;               // "latency" or "memory"
  std::optional<Quotient> speed_up;    // over the start, of the last race
  std::optional<double> memory_ratio;  // memory ÷ the start's, of the last race, for the objective memory
  std::int64_t tried = 0;              // points beside the start that ran
  bool all_compared = false;           // the time sufficed
  double trial_time_s = 0;             // allowed
  std::vector<std::string> runs;       // of trials
  std::string tried_at;                // UTC
  std::string what;                    // "distilbert-base b8 t128 fp32": for people
};

/// {start, changes, end, reason, objective, speed_up: {value, low, high}, memory_ratio, tried, all_compared,
/// trial_time_s, runs, tried_at, what}
void to_json(Json& json, const EngineChoice& choice);
/// Throws Json::exception for another form, Error(kBadInput) for an unknown end, or one without its gain.
void from_json(const Json& json, EngineChoice& choice);

/// The choice of that key on the machine with that fingerprint; nothing where there is none, or the file is missing,
/// damaged or of another version. `cache` empty: nothing is kept.
std::optional<EngineChoice> kept_engine(const std::filesystem::path& cache, const std::string& fingerprint,
                                        const std::string& key);

/// Adds a choice; the oldest go where there are more than 500. What cannot be written is a warning in `log`.
void keep_engine(const std::filesystem::path& cache, const std::string& fingerprint, const std::string& key,
                 const EngineChoice& choice, const Log& log);

}  // namespace transformeter
