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

struct ScenarioName {
  Scenario scenario;
  std::string_view name;  // as users write it
  OfferedWork work;
  bool has_fixed_rows;    // whether rows may be of a fixed length
  std::string_view help;  // what is measured; empty: no case of a run, but what a command asks of a worker
};

/// All scenarios, in the order of the enumeration.
inline constexpr std::array kScenarioNames{
    ScenarioName{Scenario::kBatch, "batch", OfferedWork::kForwardPasses, true, "forward passes"},
    ScenarioName{Scenario::kOffline, "offline", OfferedWork::kForwardPasses, false, "all texts at once"},
    ScenarioName{Scenario::kGenerate, "generate", OfferedWork::kRequests, false, "text"},
    ScenarioName{Scenario::kTrain, "train", OfferedWork::kSteps, true, "training steps"},
    ScenarioName{Scenario::kFinetune, "finetune", OfferedWork::kSteps, true, ""},
};

constexpr std::string_view name_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].name;
}
constexpr OfferedWork work_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)].work;
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
