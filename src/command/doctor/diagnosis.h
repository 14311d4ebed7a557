// One thing about this machine that a measurement depends on: how it stands, why it matters, what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

enum class DiagnosisLevel {
  kOk,
  kLimited,  // measuring works; some figures are missing, or spread more than they need to
  kProblem,  // nothing can be measured before this is put right
};

std::string_view name_of(DiagnosisLevel level);

struct Diagnosis {
  DiagnosisLevel level = DiagnosisLevel::kOk;
  std::string what;    // "clock"
  std::string state;   // what was found
  std::string why;     // what it does to numbers; also where all is well
  std::string advice;  // what to do; empty where there is nothing to do
};

using Diagnoses = std::vector<Diagnosis>;

/// The gravest level; ok for none.
DiagnosisLevel worst_level(const Diagnoses& diagnoses);

/// [{level, what, state, why, advice}], an empty advice as null.
Json to_json(const Diagnoses& diagnoses);

}  // namespace transformeter
