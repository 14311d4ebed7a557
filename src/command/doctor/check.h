// One thing about this machine that a measurement depends on: how it stands, why it matters, what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

enum class CheckLevel {
  kOk,
  kLimited,  // measuring works; some figures are missing, or spread more than they need to
  kProblem,  // nothing can be measured before this is put right
};

std::string_view name_of(CheckLevel level);

struct Check {
  CheckLevel level = CheckLevel::kOk;
  std::string what;    // "clock"
  std::string state;   // what was found
  std::string why;     // what it does to numbers; also where all is well
  std::string advice;  // what to do; empty where there is nothing to do
};

using Checks = std::vector<Check>;

/// The gravest level; ok for none.
CheckLevel worst_level(const Checks& checks);

/// [{level, what, state, why, advice}], an empty advice as null.
Json to_json(const Checks& checks);

}  // namespace transformeter
