// How work is offered to a model.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/json.h"

namespace transformeter {

enum class Scenario {
  kBatch,
  kOffline,
  kGenerate,
  kTrain,
  kFinetune,
};

/// What a scenario offers, which decides what a case's texts become and which settings it has.
enum class OfferedWork {
  kForwardPasses,  // over the batches of a cycle
  kRequests,       // for text, token by token
  kSteps,          // of a training
};

/// What one sample of a scenario is.
enum class SampledUnit {
  kBatch,  // a batch of the cycle: samples differ by their index in it
  kCycle,  // a pass over all batches of the cycle
  kAlike,  // a request or a step: alike, or with texts of its own
};

struct ScenarioName {
  Scenario scenario;
  std::string_view name;  // as users write it
  OfferedWork work;
  SampledUnit unit;
  bool has_fixed_rows;    // whether rows may be of a fixed length
  std::string_view help;  // what is measured; empty: no case of a run, but what a command asks of a worker
};

/// All scenarios, in the order of the enumeration.
inline constexpr std::array kScenarioNames{
    ScenarioName{Scenario::kBatch, "batch", OfferedWork::kForwardPasses, SampledUnit::kBatch, true, "forward passes"},
    ScenarioName{Scenario::kOffline, "offline", OfferedWork::kForwardPasses, SampledUnit::kCycle, false,
                 "all texts at once"},
    ScenarioName{Scenario::kGenerate, "generate", OfferedWork::kRequests, SampledUnit::kAlike, false, "text"},
    ScenarioName{Scenario::kTrain, "train", OfferedWork::kSteps, SampledUnit::kAlike, true, "training steps"},
    ScenarioName{Scenario::kFinetune, "finetune", OfferedWork::kSteps, SampledUnit::kAlike, true, ""},
};

constexpr std::string_view name_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].name;
}
constexpr OfferedWork work_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].work;
}
constexpr SampledUnit unit_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].unit;
}
constexpr bool has_fixed_rows(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].has_fixed_rows;
}

/// Of a case's requested settings; batch where they name none that is known, as cases of an earlier version do.
Scenario scenario_of(const Json& requested);

void to_json(Json& json, Scenario scenario);
/// Throws Error(kBadInput) listing the scenarios.
void from_json(const Json& json, Scenario& scenario);

}  // namespace transformeter
