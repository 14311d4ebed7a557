// The cases that a plot is made of: of one run or several, each with its metrics, and what tells them apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/setting_filter.h"

namespace transformeter {

/// The name under which the run itself is a setting of its cases.
inline constexpr const char* kRunSetting = "run";

struct PlotCase {
  const AnalyzedCase* one = nullptr;
  std::string run;                     // its name where that is unique, else its id
  std::vector<MetricRow> metrics;      // every statistic
  std::vector<MetricRow> comparisons;  // with its baseline; none for a case that is one or has none
};

enum class NameStyle { kShort, kFull };

struct PlotCases {
  std::vector<PlotCase> cases;     // valid and doubtful ones, in reading order, the runs one after another
  std::vector<std::string> axes;   // settings that tell them apart; of several runs the run is the first
  std::vector<std::string> runs;   // ids
  std::vector<std::string> hosts;  // "AMD EPYC 7B13, 2 cores, ...", each once
  bool has_baseline = false;       // any run has one
  std::size_t invalid = 0;         // cases left out since they answer another question
  std::size_t without_result = 0;  // cases left out since they have not finished

  NameStyle names = NameStyle::kShort;
};

/// Borrows `runs`. Baselines are sought among all cases of a run, then those that do not fulfil every filter are left
/// out. Throws Error(kBadInput) for a filter by a setting that no case has or a value that none has, and where no case
/// is left.
PlotCases plot_cases(std::span<const AnalyzedRun> runs, const std::vector<SettingFilter>& filters, NameStyle names);

/// The value as requested; null where the case has no such setting.
Json value_of(const PlotCase& one, const std::string& setting);

/// The same as a user would write it, models by the style of the names; empty for null.
std::string value_text(const PlotCases& cases, const PlotCase& one, const std::string& setting);

/// "b8 t128 bf16": short values of `settings`; "all cases" without any.
std::string series_label(const PlotCases& cases, const PlotCase& one, const std::vector<std::string>& settings);

/// Throws Error(kBadInput), naming those that there are, for a setting that no case has.
void check_setting(const PlotCases& cases, const std::string& what, const std::string& setting);

/// "batch size" of batch_size.
std::string words_of(const std::string& name);

}  // namespace transformeter
