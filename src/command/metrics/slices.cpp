// Cuts columns at the places where slices begin.
#include "metrics/slices.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "metrics/case_settings.h"
#include "metrics/scalar_metrics.h"
#include "schema/metric_names.h"
#include "schema/scenario.h"

namespace transformeter {
namespace {

// Rows [begin, end) of `latency`, and as many times as many of series whose units have several values.
struct Rows {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t all = 0;  // of latency
};

Series rows_of(const Series& series, std::size_t begin, std::size_t end) {
  Series part;
  part.name = series.name;
  part.unit = series.unit;
  part.rank = series.rank;
  const auto cut = [&](const auto& column, auto& target) {
    if (column.size() != series.value.size()) return;
    target.assign(column.begin() + static_cast<std::ptrdiff_t>(begin),
                  column.begin() + static_cast<std::ptrdiff_t>(end));
  };
  cut(series.value, part.value);
  cut(series.start_s, part.start_s);
  cut(series.index, part.index);
  cut(series.examples, part.examples);
  cut(series.useful_tokens, part.useful_tokens);
  cut(series.processed_tokens, part.processed_tokens);
  cut(series.flags, part.flags);
  return part;
}

// Places where the slices begin, and the end; empty where they do not fit.
std::vector<std::size_t> borders_of(const ReplicateRecord& replicate) {
  const Series* latency = find_series(replicate.series, "latency");
  const Series* first = find_series(replicate.series, "slice_first_sample");
  if (latency == nullptr || first == nullptr || first->value.size() < 2) return {};
  std::vector<std::size_t> borders;
  for (const double place : first->value) {
    const bool is_after = borders.empty() ? place == 0 : place > static_cast<double>(borders.back());
    if (!is_after || place != std::floor(place) || !(place < static_cast<double>(latency->value.size()))) return {};
    borders.push_back(static_cast<std::size_t>(place));
  }
  borders.push_back(latency->value.size());
  return borders;
}

Series part_of(const Series& series, const Rows& rows, std::size_t slice, std::size_t slices) {
  const SeriesScope scope = scope_of(series.name);
  if (scope == SeriesScope::kSlice && series.value.size() == slices) return rows_of(series, slice, slice + 1);
  const bool fits = scope == SeriesScope::kUnit && series.value.size() % rows.all == 0;
  if (!fits) return series;
  const std::size_t each = series.value.size() / rows.all;
  return rows_of(series, rows.begin * each, rows.end * each);
}

// What the worker says it cycled through, or more if the samples show more: a measurement cut short within its first
// cycle shows fewer.
std::size_t batches_per_cycle(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates) {
  if (unit_of(scenario_of(the_case.requested)) != SampledUnit::kBatch) return 1;
  const double declared = number_of_path(the_case.effective, {"cycle_batches"}).value_or(1);
  std::size_t batches = declared >= 1 && declared < 1e9 ? static_cast<std::size_t>(declared) : 1;
  for (const ReplicateRecord* replicate : replicates) {
    const Series* latency = find_series(replicate->series, "latency");
    if (latency != nullptr) batches = std::max(batches, batches_in(*latency));
  }
  return batches;
}

}  // namespace

std::vector<ReplicateRecord> split_slices(const ReplicateRecord& replicate) {
  const std::vector<std::size_t> borders = borders_of(replicate);
  if (borders.empty()) return {replicate};
  const std::size_t slices = borders.size() - 1;
  std::vector<ReplicateRecord> parts(slices);
  for (std::size_t slice = 0; slice < slices; ++slice) {
    ReplicateRecord& part = parts[slice];
    part.index = replicate.index;
    part.started_at = replicate.started_at;
    part.ranks = replicate.ranks;
    part.status = replicate.status;
    part.status_reason = replicate.status_reason;
    const Rows rows{borders[slice], borders[slice + 1], borders.back()};
    for (const Series& series : replicate.series) part.series.push_back(part_of(series, rows, slice, slices));
  }
  return parts;
}

Slices slices_of(const CaseRecord& the_case) {
  Slices slices;
  for (const ReplicateRecord& replicate : the_case.replicates) {
    if (replicate.status == Status::kOk) slices.replicates.push_back(&replicate);
  }
  slices.parts.reserve(slices.replicates.size());  // pointers into it are kept
  for (const ReplicateRecord* replicate : slices.replicates) {
    if (borders_of(*replicate).empty()) {
      slices.all.push_back(replicate);
      continue;
    }
    slices.parts.push_back(split_slices(*replicate));
    for (const ReplicateRecord& part : slices.parts.back()) slices.all.push_back(&part);
  }
  const SampleWindowOptions options{batches_per_cycle(the_case, slices.replicates),
                                    number_of_path(the_case.requested, {"warmup"}).has_value()};
  for (const ReplicateRecord* slice : slices.all) {
    slices.windows.push_back(sample_window(find_series(slice->series, "latency"), options));
    slices.windows.back().process = slice->index;
    slices.windows.back().is_of_passes = unit_of(scenario_of(the_case.requested)) == SampledUnit::kCycle;
    const Series* start = find_series(slice->series, "slice_start");
    if (start != nullptr && start->value.size() == 1) slices.windows.back().start_s = start->value.front();
    slices.windows.back().independent_slices = scalar_of(*slice, "independent_slices");
  }
  return slices;
}

}  // namespace transformeter
