// Groups, then change points, then what changed at them.
#include "analysis/metric_trend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/case_label.h"
#include "analysis/differences.h"
#include "base/error.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

std::string key_of(const CaseRecord& record, const std::vector<std::string>& group) {
  // Other texts in a file of the same name are another series.
  if (group.empty()) return key_without(record.requested, {}) + record.workload_key;
  Json values = Json::object();
  for (const std::string& setting : group) values[setting] = setting_value_text(record, setting);
  return canonical_json(values);
}

// By the start of the run; of equal ones by id.
std::vector<const RunRecord*> by_start(std::vector<const RunRecord*> runs) {
  std::sort(runs.begin(), runs.end(), [](const RunRecord* a, const RunRecord* b) {
    return std::pair(a->started_at, a->id) < std::pair(b->started_at, b->id);
  });
  return runs;
}

void add_case(const RunRecord& run, const CaseRecord& record, const TrendOptions& options, TrendSeries& series) {
  if (!series.points.empty() && series.points.back().run == &run) {
    const std::string other = series.points.back().record->id;
    std::vector<CaseRecord> both(2);
    both[0].requested = series.points.back().record->requested;
    both[1].requested = record.requested;
    throw Error(ErrorKind::kBadInput,
                fmt::format("cases {} and {} of run {} would be one series; name in --group what tells them apart: {}",
                            other, record.id, run.id, fmt::join(differing_settings(both), ", ")));
  }
  const bool is_ok = record.status == Status::kOk;
  const CaseAnalysis analysis = is_ok ? analysis_of(record) : CaseAnalysis();
  const MetricRow* row =
      is_ok ? find_metric(analysis.metrics, options.metric.metric, options.metric.statistic) : nullptr;
  const bool is_usable =
      row != nullptr && row->value && std::isfinite(*row->value) && analysis.verdict.level != VerdictLevel::kInvalid;
  if (!is_usable) {
    ++series.left_out;
    return;
  }
  series.points.push_back({&run, &record, *row, analysis.verdict.level == VerdictLevel::kDoubtful});
}

std::vector<double> values_of(const TrendSeries& series) {
  std::vector<double> values;
  for (const TrendPoint& point : series.points) values.push_back(*point.row.value);
  return values;
}

double median_between(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = values.begin() + static_cast<std::ptrdiff_t>(end);
  return *median_of(std::vector<double>(from, to));  // no part is empty
}

std::vector<std::string> changes_between(const TrendPoint& before, const TrendPoint& after) {
  std::vector<std::string> texts;
  for (const Difference& one : differences_between({before.run, {before.record}}, {after.run, {after.record}},
                                                   {{before.record, after.record, ""}})) {
    texts.push_back(one.text());
  }
  return texts;
}

void find_changes(const TrendOptions& options, TrendSeries& series) {
  const std::vector<double> values = values_of(series);
  std::vector<double> scaled = values;
  const bool are_positive = std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  if (are_positive)
    std::transform(values.begin(), values.end(), scaled.begin(), [](double value) { return std::log(value); });
  const std::vector<ChangePoint> found = change_points(scaled, options.change);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].at;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].at : values.size();
    const TrendPoint& before = series.points[found[i].at - 1];
    const TrendPoint& after = series.points[found[i].at];
    series.changes.push_back({found[i].at, median_between(values, begin, found[i].at),
                              median_between(values, found[i].at, end), found[i].p_value,
                              changes_between(before, after)});
  }
}

}  // namespace

std::vector<TrendSeries> metric_trends(const std::vector<const RunRecord*>& runs, const TrendOptions& options) {
  for (const std::string& setting : options.group) setting_term(setting);
  std::vector<TrendSeries> all;
  std::map<std::string, std::size_t> places;
  std::vector<CaseRecord> kinds;  // of each series, as far as they tell them apart
  for (const RunRecord* run : by_start(runs)) {
    for (const CaseRecord& record : run->cases) {
      const auto [place, is_new] = places.emplace(key_of(record, options.group), all.size());
      if (is_new) {
        all.emplace_back();
        kinds.push_back({});
        kinds.back().id = record.id;
        kinds.back().requested = record.requested.is_object() ? record.requested : Json::object();
      }
      add_case(*run, record, options, all[place->second]);
    }
  }
  const std::vector<std::string> axes = options.group.empty() ? label_axes(kinds) : options.group;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].label = short_label(kinds[i], axes);
    if (all[i].points.size() >= fewest_values(options.change.level, options.change.shortest)) {
      find_changes(options, all[i]);
    } else {
      all[i].has_too_few = true;
    }
  }
  return all;
}

}  // namespace transformeter
