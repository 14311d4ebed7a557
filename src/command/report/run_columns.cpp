// Walks over the stored JSON documents.
#include "report/run_columns.h"

#include <fmt/format.h>

#include <array>

#include "metrics/scenario_type.h"
#include "report/display_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::array<std::string_view, 3> kMeaningOfTimes{
    "Latency is the median time of one batch through the model, from inputs in memory to outputs in memory; "
    "tokenization is not included. Cycle time is the time of one pass over all batches of a workload with natural "
    "lengths, where batches differ.",
    "The interval next to a value is a 95 % confidence interval. One of a single window covers neither slow changes of "
    "the machine's speed nor variance between processes; one between slices covers the former, one between replicates "
    "both.",
    "Samples per second and tokens per second are total work ÷ total time. Tokens are useful tokens, without padding."};

// After what the scenarios say of themselves.
constexpr std::array<std::string_view, 3> kMeaningOfTheRest{
    "Peak RSS is the worker's peak resident memory during the measurement. Tensors is the peak of live tensor memory, "
    "without weights mapped from files.",
    "Speed-up is baseline time ÷ candidate time. It needs 8 pairs of slices measured side by side, or 3 replicates of "
    "both cases, on the same workload; otherwise the answer is undecided.",
    "A verdict says whether a result can be trusted; notes are not problems. docs/metrics.md defines every metric, "
    "reason and note."};

// One row for each plain value, by its path; `null_reasons` tell why a value is missing and are shown beside it.
void add_environment_rows(const Json& json, const std::string& path, CaseColumn& names, CaseColumn& values) {
  for (const auto& [key, value] : json.items()) {
    if (key == "null_reasons") continue;
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object() && !value.empty()) {
      add_environment_rows(value, name, names, values);
      continue;
    }
    const Json reasons = json.value("null_reasons", Json::object());
    std::string text =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (value.is_null()) text = "-";
    if (value.is_null() && reasons.is_object() && reasons.contains(key) && reasons.at(key).is_string()) {
      text = fmt::format("- ({})", reasons.at(key).get<std::string>());
    }
    constexpr std::size_t kWidest = 120;
    names.cells.push_back(one_line(name));
    values.cells.push_back(cut_to_columns(one_line(text), kWidest));
  }
}

}  // namespace

std::vector<CaseColumn> environment_columns(const RunRecord& run) {
  CaseColumn names;
  CaseColumn values;
  names.heading = "what";
  values.heading = "value";
  if (run.host.is_object()) add_environment_rows(run.host, "", names, values);
  if (names.cells.empty()) return {};
  return {names, values};
}

std::vector<CaseColumn> settings_columns(const RunRecord& run) {
  CaseColumn names;
  CaseColumn values;
  CaseColumn origins;
  names.heading = "setting";
  values.heading = "values";
  origins.heading = "origin";
  const Json settings = run.settings.is_object() ? run.settings : Json::object();
  for (const auto& [name, setting] : settings.items()) {
    std::vector<std::string> texts;
    const Json list = setting.is_object() ? setting.value("values", Json::array()) : Json::array({setting});
    for (const Json& value : list) texts.push_back(setting_text(value));
    const Json origin = setting.is_object() ? setting.value("origin", Json()) : Json();
    names.cells.push_back(name);
    values.cells.push_back(fmt::format("{}", fmt::join(texts, ", ")));
    origins.cells.push_back(origin.is_string() ? origin.get<std::string>() : "-");
  }
  if (names.cells.empty()) return {};
  return {names, values, origins};
}

std::vector<std::string_view> meaning_lines() {
  std::vector<std::string_view> lines(kMeaningOfTimes.begin(), kMeaningOfTimes.end());
  for (const ScenarioType& type : scenario_types()) {
    if (!type.meaning.empty()) lines.push_back(type.meaning);
  }
  lines.insert(lines.end(), kMeaningOfTheRest.begin(), kMeaningOfTheRest.end());
  return lines;
}

}  // namespace transformeter
