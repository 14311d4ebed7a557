// Puts a case's analysis together; the parts lie beside this file.
#include "metrics/case_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/case_settings.h"
#include "metrics/metric_groups.h"
#include "metrics/sample_window.h"
#include "metrics/scalar_metrics.h"
#include "metrics/slices.h"
#include "metrics/verdict_rules.h"
#include "stats/estimate.h"

namespace transformeter {
namespace {

void append(std::vector<MetricRow>& rows, std::vector<MetricRow> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

std::vector<SliceTime> times_of_slices(const Slices& slices) {
  std::vector<SliceTime> times;
  const std::vector<double> seconds = slice_times(slices.windows);
  for (std::size_t i = 0; i < slices.all.size(); ++i) {
    const auto round = scalar_of(*slices.all[i], "slice_round");
    if (!round || !is_count(*round) || !(seconds[i] > 0)) continue;
    times.push_back({slices.all[i]->index, static_cast<std::int64_t>(*round), seconds[i]});
  }
  return times;
}

}  // namespace

CaseAnalysis analyze_case(const CaseRecord& the_case) {
  CaseAnalysis analysis;
  analysis.steady_from.resize(the_case.replicates.size());
  if (the_case.replicates.empty()) return analysis;
  const Slices slices = slices_of(the_case);
  const std::vector<const ReplicateRecord*>& replicates = slices.replicates;
  const std::vector<SampleWindow>& windows = slices.windows;
  for (std::size_t i = slices.all.size(); i-- > 0;) {  // the first slice of each comes last
    const auto place = std::find_if(the_case.replicates.begin(), the_case.replicates.end(),
                                    [&](const ReplicateRecord& one) { return one.index == windows[i].process; });
    analysis.steady_from[static_cast<std::size_t>(place - the_case.replicates.begin())] = windows[i].from;
  }
  analysis.slices = times_of_slices(slices);
  const VerdictInput input{the_case, replicates, slices.all, windows, analysis.metrics};
  if (!replicates.empty()) {
    for (const auto group : kMetricGroups) append(analysis.metrics, group(the_case, slices));
    judge_execution(input, analysis.verdict);
    judge_samples(input, analysis.verdict);
    judge_machine(input, analysis.verdict);
    judge_window(input, analysis.verdict);
  }
  add_notes(input, analysis.verdict);
  return analysis;
}

const MetricRow* find_metric(const std::vector<MetricRow>& metrics, std::string_view name, std::string_view statistic) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRow& row) {
    return row.name == name && (statistic.empty() || row.statistic == statistic);
  });
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<double> relative_half_width(const MetricRow& row) {
  if (!row.value || !row.low) return std::nullopt;
  if (!row.high) return std::numeric_limits<double>::infinity();
  return relative_half_width(Estimate{*row.value, Interval{*row.low, *row.high}, row.n});
}

}  // namespace transformeter
