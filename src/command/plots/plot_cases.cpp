// What varies is asked again once cases are chosen: a setting with one value left tells nothing apart.
#include "plots/plot_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/baseline_table.h"
#include "analysis/case_label.h"
#include "base/error.h"
#include "base/text.h"
#include "metrics/case_summary.h"
#include "report/legend.h"
#include "schema/setting_label.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Two runs of one name are told apart by their ids.
std::vector<std::string> names_of_runs(std::span<const AnalyzedRun> runs) {
  std::map<std::string, int> counts;
  for (const AnalyzedRun& run : runs) ++counts[run.run->name];
  std::vector<std::string> names;
  for (const AnalyzedRun& run : runs) {
    const bool is_named = !run.run->name.empty() && counts[run.run->name] == 1;
    names.push_back(is_named ? run.run->name : run.run->id);
  }
  return names;
}

std::map<const AnalyzedCase*, std::vector<MetricRow>> comparisons_of(const AnalyzedRun& run) {
  std::map<const AnalyzedCase*, std::vector<MetricRow>> rows;
  if (auto table = baseline_table(run)) {
    for (BaselinePair& pair : table->pairs) rows[pair.candidate] = std::move(pair.rows);
  }
  return rows;
}

void add_run(PlotCases& all, const AnalyzedRun& run, const std::string& name) {
  std::map<const AnalyzedCase*, std::vector<MetricRow>> comparisons = comparisons_of(run);
  all.has_baseline = all.has_baseline || run.baseline.has_value();
  all.runs.push_back(run.run->id);
  std::string host = host_line(run);
  if (std::find(all.hosts.begin(), all.hosts.end(), host) == all.hosts.end()) all.hosts.push_back(std::move(host));
  for (const AnalyzedCase& one : run.cases) {
    PlotCase& added = all.cases.emplace_back(PlotCase{&one, name, {}, {}});
    if (one.is_ok()) added.metrics = analysis_of(*one.record).metrics;
    if (const auto found = comparisons.find(&one); found != comparisons.end()) added.comparisons = found->second;
  }
}

std::vector<std::string> settings_of(const PlotCases& cases) {
  std::set<std::string> names;
  for (const PlotCase& one : cases.cases) {
    for (const auto& [name, value] : one.one->record->requested.items()) names.insert(name);
  }
  names.insert(kRunSetting);
  return {names.begin(), names.end()};
}

bool has_value(const PlotCase& one, const SettingFilter& filter) {
  return filter.first == kRunSetting ? one.run == filter.second : has_setting(*one.one->record, filter);
}

void apply(PlotCases& cases, const SettingFilter& filter) {
  check_setting(cases, "--where: setting", filter.first);
  std::vector<std::string> values;
  for (const PlotCase& one : cases.cases) {
    std::string text = value_text(cases, one, filter.first);
    if (text.empty()) text = "none";
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  }
  std::erase_if(cases.cases, [&](const PlotCase& one) { return !has_value(one, filter); });
  if (cases.cases.empty()) throw unknown_value("--where: " + filter.first, filter.second, values);
}

void leave_out(PlotCases& cases) {
  std::erase_if(cases.cases, [&](const PlotCase& one) {
    if (one.one->is_usable()) return false;
    ++(one.one->is_ok() ? cases.invalid : cases.without_result);
    return true;
  });
  if (!cases.cases.empty()) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("nothing to plot in run {}: {} without a result, {} invalid; 'transformeter show {}' says why",
                  fmt::join(cases.runs, ", "), counted(cases.without_result, "case"), cases.invalid,
                  cases.runs.front()));
}

std::vector<std::string> axes_of(const PlotCases& cases) {
  std::vector<CaseRecord> records;  // as far as they tell cases apart
  for (const PlotCase& one : cases.cases) records.emplace_back().requested = one.one->record->requested;
  std::vector<std::string> axes = varying_settings(records);
  const auto is_other = [&](const PlotCase& one) { return one.run != cases.cases.front().run; };
  if (std::any_of(cases.cases.begin(), cases.cases.end(), is_other)) axes.insert(axes.begin(), kRunSetting);
  return axes;
}

// Two models whose short names are one.
bool are_short_names_ambiguous(const PlotCases& cases) {
  std::map<std::string, std::string> full;
  return std::any_of(cases.cases.begin(), cases.cases.end(), [&](const PlotCase& one) {
    const Json model = value_of(one, "model");
    if (!model.is_string()) return false;
    const auto [place, is_new] = full.emplace(short_name(model.get<std::string>()), model.get<std::string>());
    return place->second != model.get<std::string>();
  });
}

}  // namespace

PlotCases plot_cases(std::span<const AnalyzedRun> runs, const std::vector<SettingFilter>& filters, NameStyle names) {
  PlotCases cases;
  cases.names = names;
  const std::vector<std::string> run_names = names_of_runs(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) add_run(cases, runs[i], run_names[i]);
  for (const SettingFilter& filter : filters) apply(cases, filter);
  leave_out(cases);
  cases.axes = axes_of(cases);
  if (are_short_names_ambiguous(cases)) cases.names = NameStyle::kFull;
  return cases;
}

Json value_of(const PlotCase& one, const std::string& setting) {
  if (setting == kRunSetting) return one.run;
  return one.one->record->requested.value(setting, Json());
}

std::string value_text(const PlotCases& cases, const PlotCase& one, const std::string& setting) {
  const Json value = value_of(one, setting);
  if (value.is_null()) return "";
  if (setting == kRunSetting || (setting == "model" && cases.names == NameStyle::kFull)) return setting_text(value);
  return setting_value_text(*one.one->record, setting);
}

std::string series_label(const PlotCases& cases, const PlotCase& one, const std::vector<std::string>& settings) {
  std::string label;
  for (const std::string& setting : settings) {
    const Json value = value_of(one, setting);
    if (value.is_null()) continue;
    const bool speaks_for_itself = setting == kRunSetting || setting == "model";
    label.append(label.empty() ? "" : " ");
    label.append(speaks_for_itself ? value_text(cases, one, setting) : setting_label(setting, value));
  }
  return label.empty() ? "all cases" : label;
}

void check_setting(const PlotCases& cases, const std::string& what, const std::string& setting) {
  const std::vector<std::string> known = settings_of(cases);
  if (std::find(known.begin(), known.end(), setting) == known.end()) throw unknown_value(what, setting, known);
}

std::string words_of(const std::string& name) {
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace transformeter
