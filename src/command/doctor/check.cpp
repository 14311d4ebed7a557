// Levels and the JSON form.
#include "doctor/check.h"

#include <algorithm>

namespace transformeter {

std::string_view name_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::kOk:
      return "ok";
    case CheckLevel::kLimited:
      return "limited";
    case CheckLevel::kProblem:
      return "problem";
  }
  return "problem";
}

CheckLevel worst_level(const Checks& checks) {
  CheckLevel worst = CheckLevel::kOk;
  for (const Check& one : checks) worst = std::max(worst, one.level);
  return worst;
}

Json to_json(const Checks& checks) {
  Json list = Json::array();
  for (const Check& one : checks) {
    list.push_back({{"level", name_of(one.level)},
                    {"what", one.what},
                    {"state", one.state},
                    {"why", one.why},
                    {"advice", one.advice.empty() ? Json(nullptr) : Json(one.advice)}});
  }
  return list;
}

}  // namespace transformeter
