// A table of settings with the condition of each.
#include "run/workload_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "data/synthetic.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

constexpr const char* kDefaultDistribution = "uniform:8:128";

bool is_file(const Json& data, const Json&) {
  return data != "bundled" && data != kSyntheticData;
}
bool is_fixed(const Json&, const Json& length) {
  return length.is_number();
}
bool is_synthetic_natural(const Json& data, const Json& length) {
  return data == kSyntheticData && !length.is_number();
}

struct Condition {
  const char* setting;
  bool (*holds)(const Json& data, const Json& length);
  const char* what;  // completes "applies to ..."
};
constexpr Condition kConditions[] = {
    {"text_column", is_file, "a data file"},
    {"text_pair_column", is_file, "a data file"},
    {"label_column", is_file, "a data file"},
    {"labels", is_file, "a data file"},
    {"split", is_file, "a data file"},
    {"padding", is_fixed, "a sequence_length that is a number: natural lengths bring their own padding"},
    {"length_distribution", is_synthetic_natural, "data synthetic with sequence_length natural"}};

}  // namespace

void settle_workload(Json& point) {
  const Json data = point.at("data");
  const Json length = point.at("sequence_length");
  for (const Condition& condition : kConditions) {
    if (!condition.holds(data, length)) point.erase(condition.setting);
  }
  if (is_synthetic_natural(data, length)) point.emplace("length_distribution", kDefaultDistribution);
}

void check_workload_use(const Plan& plan) {
  const std::vector<Json>& data = plan.at("data").values;
  const std::vector<Json>& lengths = plan.at("sequence_length").values;
  for (const Condition& condition : kConditions) {
    if (!plan.has(condition.setting)) continue;
    const bool is_used = std::any_of(data.begin(), data.end(), [&](const Json& one) {
      return std::any_of(lengths.begin(), lengths.end(),
                         [&](const Json& length) { return condition.holds(one, length); });
    });
    if (is_used) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} applies to {}; no case of the plan is so", condition.setting, condition.what));
  }
}

DataOptions data_options(const Json& point) {
  const auto text = [&](const char* name) { return point.value(name, std::string()); };
  return {text("text_column"), text("text_pair_column"), text("label_column"), text("labels"), text("split")};
}

}  // namespace transformeter
