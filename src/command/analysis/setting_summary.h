// Summarizes a run's metrics by the values of one setting, over cases whose other settings were measured with every
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/step_columns.h"
#include "stats/summary.h"

namespace transformeter {

struct MetricSummary {
  std::string metric;
  std::string unit;
  Summary cases;           // over the headlines of the cases that have a value
  bool is_matched = true;  // every value that has the metric has it of the same other settings
};

struct ValueSummary {
  std::string value;               // as a user would write it
  std::vector<std::string> cases;  // ids
  std::vector<MetricSummary> metrics;
};

/// What cases must share for their metrics to be comparable. A field is empty if a case lacks it or if the summary is
/// by that setting.
struct SummaryGroup {
  std::string scenario;
  std::string model;
  std::string task;
  std::string data;
  std::string device;  // as the worker said where it did
};

struct SettingSummary {
  std::string setting;
  SummaryGroup group;
  std::vector<std::string> also_differ;  // other settings in which cases of one value differ
  bool is_matched = true;              // false: no other settings are there for every value, so each has its own cases
  std::vector<std::string> unmatched;  // ids of cases left out, since not every value has their other settings
  std::optional<StepCounts> differing_steps;  // how many steps its trainings took, where the numbers are not one
  std::vector<ValueSummary> values;           // numbers ascend, then words by first appearance
};

struct SettingSummaries {
  std::vector<SettingSummary> settings;  // as asked for, each by group in order of first appearance
  std::vector<std::string> left_out;     // ids of cases that are not ok, or invalid
};

/// `settings` may also hold `family`, the architecture of the models: each value then covers all models of one family.
/// Throws Error(kBadInput) for a setting that no case of the run has, listing the settings they have.
SettingSummaries summaries_by(const AnalyzedRun& run, const std::vector<std::string>& settings);

/// Names of requested settings whose values differ among the cases, by name. A missing setting is a value.
std::vector<std::string> differing_requests(const std::vector<const CaseRecord*>& cases);

}  // namespace transformeter
