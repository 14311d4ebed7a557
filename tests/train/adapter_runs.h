// Runs of tests/data/training/lora_curves.json.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// As LoraOptions takes them: "all-linear", or names by commas.
inline std::string targets_of(const Json& lora) {
  const Json& targets = lora.at("targets");
  return targets.is_string() ? targets.get<std::string>()
                             : fmt::format("{}", fmt::join(targets.get<std::vector<std::string>>(), ","));
}

}  // namespace transformeter
