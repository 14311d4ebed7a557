// The counter runs over the whole window, so all of the window's samples count, steady or not.
#include "metrics/metric_groups.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "metrics/case_settings.h"
#include "metrics/metric_rows.h"
#include "metrics/scalar_metrics.h"

namespace transformeter {
namespace {

// Rule 18 of docs/measurement.md: one period in 50 is the target half-width.
constexpr double kMinPeriods = 50;

// What the window of one replicate held.
struct Work {
  double examples = 0;
  double useful_tokens = 0;
  std::size_t samples = 0;
};

Work work_of(const ReplicateRecord& replicate) {
  Work work;
  const Series* latency = find_series(replicate.series, "latency");
  if (latency == nullptr) return work;
  const auto at = [](const std::vector<std::int64_t>& column, std::size_t i) {
    return i < column.size() ? static_cast<double>(column[i]) : 0.0;
  };
  for (std::size_t i = 0; i < latency->value.size(); ++i) {
    if (i < latency->flags.size() && (latency->flags[i] & kSampleWarmup) != 0) continue;
    work.examples += at(latency->examples, i);
    work.useful_tokens += at(latency->useful_tokens, i);
    ++work.samples;
  }
  return work;
}

// One replicate's energy, where it can be believed, else why not.
struct Counted {
  double joules = 0;
  double window_s = 0;
  std::optional<double> idle_w;
  std::string why_none;
};

Counted counted_by(const CaseRecord& the_case, const ReplicateRecord& replicate) {
  Counted counted;
  const auto joules = scalar_of(replicate, "energy_counted");
  const auto window_s = scalar_of(replicate, "energy_window");
  const auto period_s = scalar_of(replicate, "energy_counter_period");
  if (!joules || !window_s || !(*window_s > 0)) {
    counted.why_none = text_of_path(the_case.effective, {"energy", "reason"}).value_or("no energy counter was read");
  } else if (!period_s) {
    counted.why_none =
        "the update period of the energy counter is unknown: it changed too rarely while the machine was idle";
  } else if (*window_s < kMinPeriods * *period_s) {
    counted.why_none = fmt::format(
        "the window of {:.3g} s holds only {:.3g} updates of the energy counter (one every {:.3g} s), at least {:.0f} "
        "are needed: raise --samples or --time-limit, with --slices 1",
        *window_s, *window_s / *period_s, *period_s, kMinPeriods);
  } else {
    counted = {*joules, *window_s, scalar_of(replicate, "idle_power"), ""};
  }
  return counted;
}

struct EnergyRow {
  RowTitle title;
  std::optional<double> (*total)(const Counted& counted);
  double (*count)(const Counted& counted, const Work& work);
  std::string_view why_none;  // where energy was counted
};

double examples_of(const Counted&, const Work& work) {
  return work.examples;
}

std::optional<double> gross_joules(const Counted& counted) {
  return counted.joules;
}

constexpr EnergyRow kRows[] = {
    {{"energy", "ratio", "measured"}, gross_joules, examples_of, "the number of examples per sample is not recorded"},
    {{"energy_net", "ratio", "derived"},
     [](const Counted& counted) {
       const double net = counted.joules - counted.idle_w.value_or(0) * counted.window_s;
       return counted.idle_w && net > 0 ? std::optional(net) : std::nullopt;
     },
     examples_of,
     "power did not exceed idle power, or idle power was not measured; was the machine busy when the run began?"},
    {{"energy_per_token", "ratio", "measured"},
     gross_joules,
     [](const Counted&, const Work& work) { return work.useful_tokens; },
     "the number of tokens per sample is not recorded"},
    {{"power_mean", "ratio", "derived"},
     gross_joules,
     [](const Counted& counted, const Work&) { return counted.window_s; },
     ""},
};

}  // namespace

std::vector<MetricRow> energy_metrics(const CaseRecord& the_case, const Slices& slices) {
  std::vector<MetricRow> rows;
  for (const EnergyRow& row : kRows) {
    std::vector<Estimate> estimates;
    std::string reason;
    for (const ReplicateRecord* replicate : slices.all) {
      const Counted counted = counted_by(the_case, *replicate);
      const Work work = work_of(*replicate);
      const auto total = counted.why_none.empty() ? row.total(counted) : std::nullopt;
      const double count = row.count(counted, work);
      if (total && count > 0) {
        Estimate& estimate = estimates.emplace_back();
        estimate.value = *total / count;
        estimate.n = work.samples;
        estimate.process = replicate->index;
        estimate.start_s = scalar_of(*replicate, "slice_start");
        estimate.weight = count;
      } else if (reason.empty()) {
        reason = counted.why_none.empty() ? row.why_none : counted.why_none;
      }
    }
    if (!estimates.empty()) reason = estimates.size() == 1 ? "" : kOneNumberEach;
    rows.push_back(replicated_row(row.title, estimates, reason));
  }
  return rows;
}

}  // namespace transformeter
