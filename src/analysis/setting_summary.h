// The figures of a run's cases by the values of one setting: how they lie over all cases that have the value.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "stats/summary.h"

namespace transformeter {

struct MetricSummary {
  std::string metric;
  std::string unit;
  Summary cases;  // over the headlines of the cases that have a value
};

struct ValueSummary {
  std::string value;               // as a user would write it
  std::vector<std::string> cases;  // ids
  std::vector<MetricSummary> metrics;
};

struct SettingSummary {
  std::string setting;
  std::vector<std::string> also_differ;  // other settings in which cases of one value differ
  std::vector<ValueSummary> values;      // numbers ascend, then words by first appearance
};

struct SettingSummaries {
  std::vector<SettingSummary> settings;  // as asked for
  std::vector<std::string> left_out;     // ids of cases that are not ok, or invalid
};

/// Throws Error(kBadInput) for a setting that no case of the run has, with those they have.
SettingSummaries summaries_by(const AnalyzedRun& run, const std::vector<std::string>& settings);

/// Names of requested settings whose values differ among the cases, by name. A missing setting is a value.
std::vector<std::string> differing_requests(const std::vector<const CaseRecord*>& cases);

}  // namespace transformeter
