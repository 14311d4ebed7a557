// Levels and the JSON form.
#include "doctor/diagnosis.h"

#include <algorithm>

namespace transformeter {

std::string_view name_of(DiagnosisLevel level) {
  switch (level) {
    case DiagnosisLevel::kOk:
      return "ok";
    case DiagnosisLevel::kLimited:
      return "limited";
    case DiagnosisLevel::kProblem:
      return "problem";
  }
  return "problem";
}

DiagnosisLevel worst_level(const Diagnoses& diagnoses) {
  DiagnosisLevel worst = DiagnosisLevel::kOk;
  for (const Diagnosis& one : diagnoses) worst = std::max(worst, one.level);
  return worst;
}

Json to_json(const Diagnoses& diagnoses) {
  Json list = Json::array();
  for (const Diagnosis& one : diagnoses) {
    list.push_back({{"level", name_of(one.level)},
                    {"what", one.what},
                    {"state", one.state},
                    {"why", one.why},
                    {"advice", one.advice.empty() ? Json(nullptr) : Json(one.advice)}});
  }
  return list;
}

}  // namespace transformeter
