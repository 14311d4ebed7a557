// How work is offered to a model.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/json.h"

namespace transformeter {

enum class Scenario {
  kBatch,     // forward passes over the batches of a cycle
  kGenerate,  // requests for text, token by token
  kTrain,     // training steps
  kFinetune,  // a whole training: what `finetune` asks of a worker; no case of a run
};

/// As users write them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> kScenarioNames{"batch", "generate", "train", "finetune"};

constexpr std::string_view name_of(Scenario scenario) {
  return kScenarioNames[static_cast<std::size_t>(scenario)];
}

/// Of a case's requested settings; batch where they name none that is known, as cases of an earlier version do.
Scenario scenario_of(const Json& requested);

void to_json(Json& json, Scenario scenario);
/// Throws Error(kBadInput) listing the scenarios.
void from_json(const Json& json, Scenario& scenario);

}  // namespace transformeter
