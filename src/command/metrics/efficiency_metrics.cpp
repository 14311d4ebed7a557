// A unit of work is a whole cycle (of one batch or several), so its operations are the same each time: rates are ratios
// of totals as all throughputs are, and keep their intervals.
#include "metrics/efficiency_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>

#include "metrics/case_settings.h"
#include "metrics/cycle_total.h"
#include "metrics/disturbed_peak.h"
#include "metrics/linear_type_rule.h"
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "metrics/part_windows.h"
#include "metrics/roofline.h"
#include "metrics/scalar_metrics.h"
#include "schema/peak.h"
#include "schema/scenario.h"
#include "stats/ratio.h"

namespace transformeter {
namespace {

constexpr std::string_view kDisturbedPeaks = "disturbed_peaks";  // begins a reason, and names the note
constexpr std::string_view kNoWorkOfRequests = "operations are not counted for generated text";
constexpr std::string_view kNoBytesOfSteps = "memory traffic of a training step is not counted";
constexpr std::string_view kNoFormula = "no FLOP formula for this model, or the worker does not report it";

// A peak as it was when the case ran, or why there is none.
struct KnownPeak {
  std::string quantity;
  std::optional<double> rate;
  std::optional<double> low;  // of its interval
  std::optional<double> high;
  std::string reason;
  double foreign_load = 0;
  bool is_exceeded = false;  // by some case of the run
};

KnownPeak known_peak(const CaseRecord& the_case, const char* kind) {
  KnownPeak peak;
  peak.quantity = text_of_path(the_case.effective, {"peaks", kind, "quantity"}).value_or(kind);
  peak.rate = number_of_path(the_case.effective, {"peaks", kind, "value"});
  if (peak.rate && !(*peak.rate > 0)) peak.rate.reset();
  peak.low = number_of_path(the_case.effective, {"peaks", kind, "low"});
  peak.high = number_of_path(the_case.effective, {"peaks", kind, "high"});
  peak.reason = text_of_path(the_case.effective, {"peaks", kind, "reason"}).value_or(std::string(kNoPeaks));
  peak.foreign_load = number_of_path(the_case.effective, {"peaks", kind, "foreign_load"}).value_or(0);
  peak.is_exceeded = flag_of_path(the_case.effective, {"peaks", kind, kPeakExceeded}).value_or(false);
  return peak;
}

/// Per second, of each replicate that has samples and the series.
struct Rates {
  std::vector<Estimate> estimates;
  std::string reason;  // why there is none, or no interval
};

// `work` says how much each unit of the window is; nothing where that is unknown.
template <typename Work>
Rates rates_of(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows,
               Work work) {
  Rates rates;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const SampleWindow& window = windows[i];
    const std::vector<double> amounts = work(*replicates[i], window);
    if (rates.reason.empty()) rates.reason = amounts.empty() ? kNoFormula : window.problem;
    if (amounts.empty() || amounts.size() != window.seconds.size()) continue;
    std::optional<Estimate> rate = estimate_ratio(amounts, window.seconds);
    if (!rate) continue;
    if (!window.steady()) rate->interval.reset();
    set_slice(*rate, window);
    rates.estimates.push_back(*rate);
  }
  if (rates.reason.empty()) rates.reason = kTooFewSamples;
  return rates;
}

Rates flop_rates(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows,
                 const char* series) {
  return rates_of(replicates, windows, [&](const ReplicateRecord& replicate, const SampleWindow& window) {
    return each_unit(window, cycle_total(replicate, window, series));
  });
}

// Every batch of a cycle reads the weights once.
Rates byte_rates(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows) {
  return rates_of(replicates, windows, [](const ReplicateRecord& replicate, const SampleWindow& window) {
    const auto bytes = scalar_of(replicate, "weight_bytes_read");
    return each_unit(window,
                     bytes ? std::optional(*bytes * static_cast<double>(window.batches_per_cycle)) : std::nullopt);
  });
}

// Of the steps that count; nothing where the series is of other steps.
std::vector<double> step_flops(const ReplicateRecord& replicate, const SampleWindow& window, const char* name) {
  const Series* latency = find_series(replicate.series, "latency");
  const Series* series = find_series(replicate.series, name);
  if (latency == nullptr || series == nullptr) return {};
  return taken(series->value, window, latency->value.size());
}

Rates step_flop_rates(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows,
                      const char* series) {
  return rates_of(replicates, windows, [&](const ReplicateRecord& replicate, const SampleWindow& window) {
    return step_flops(replicate, window, series);
  });
}

std::string below_achieved(double achieved, const KnownPeak& peak) {
  std::string text = fmt::format("{}: {} is above the measured peak of {}", kPeakBelowAchieved,
                                 peak_rate_text(achieved, peak.quantity), peak_rate_text(*peak.rate, peak.quantity));
  if (is_disturbed_peak(peak.foreign_load)) {
    text += ", " + disturbance_text(peak.foreign_load);
  } else if (peak.quantity == kReadBandwidthPeak) {
    text += "; weights in a cache are read faster than memory";
  }
  return text;
}

// Why no share of the peak can be given; empty: it can. What a replicate has reached is possible, so a peak below it is
// wrong, for the other cases too; and a peak measured beside other work is a peak of what was left.
std::string fault_of(const KnownPeak& peak, std::initializer_list<const Rates*> achieved) {
  double highest = 0;
  for (const Rates* rates : achieved) {
    for (const Estimate& rate : rates->estimates) highest = std::max(highest, rate.value);
  }
  if (highest > *peak.rate) return below_achieved(highest, peak);
  if (peak.is_exceeded) {
    return fmt::format("{}: another case of the run was faster than the measured peak of {}", kPeakBelowAchieved,
                       peak_rate_text(*peak.rate, peak.quantity));
  }
  if (is_disturbed_peak(peak.foreign_load))
    return fmt::format("{}: {} was {}", kDisturbedPeaks, peak.quantity, disturbance_text(peak.foreign_load));
  return {};
}

KnownPeak held_against(KnownPeak peak, std::initializer_list<const Rates*> achieved) {
  if (!peak.rate) return peak;
  if (const std::string fault = fault_of(peak, achieved); !fault.empty()) {
    peak.reason = fault;
    peak.rate.reset();
  }
  return peak;
}

// A peak of one format says little of a pass in two: its other products may run at their own peak and take most of the
// time.
KnownPeak of_one_format(KnownPeak peak, const CaseRecord& the_case) {
  constexpr double kMostElsewhere = 0.05;
  if (!peak.rate || peak.quantity != gemm_peak("int8")) return peak;
  const std::optional<double> share = share_outside_int8(the_case);
  if (share && *share <= kMostElsewhere) return peak;
  peak.reason = share ? fmt::format(
                            "{:.0f} % of the operations of products with weights did not run in int8, so that "
                            "{} is no peak of the whole",
                            100 * *share, peak.quantity)
                      : "the worker did not report in which formats products ran";
  peak.rate.reset();
  return peak;
}

// Errors of rate and peak are independent, so their relative half-widths add up in squares; against a higher peak the
// share is lower. A peak that is known without an interval adds nothing.
void add_half_width(const KnownPeak& peak, MetricRow& row) {
  if (!row.low || !row.high || !peak.low || !peak.high || !(*row.value > 0)) return;
  const double share = *row.value;
  const double below = std::hypot(1 - *row.low / share, *peak.high / *peak.rate - 1);
  const double above = std::hypot(*row.high / share - 1, 1 - *peak.low / *peak.rate);
  row.low = std::max(0.0, share * (1 - below));
  row.high = share * (1 + above);
}

// `peak` is not too low, so the interval ends at 1 at most.
MetricRow share_row(std::string_view metric, const Rates& rates, const KnownPeak& peak) {
  const RowTitle title{metric, "ratio", "derived"};
  if (rates.estimates.empty()) return missing_row(title, rates.reason);
  if (!peak.rate) return missing_row(title, peak.reason);
  std::vector<Estimate> shares = rates.estimates;
  for (Estimate& share : shares) {
    share.value /= *peak.rate;
    if (share.interval) share.interval = Interval{share.interval->low / *peak.rate, share.interval->high / *peak.rate};
  }
  MetricRow row = replicated_row(title, shares, rates.reason);
  add_half_width(peak, row);
  if (row.high) row.high = std::min(*row.high, 1.0);
  return row;
}

// Exact: a count, no sample of anything.
MetricRow flops_row(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows) {
  const RowTitle title{"flops", "ratio", "derived"};
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const SampleWindow& window = windows[i];
    const auto flops = cycle_total(*replicates[i], window, "useful_flops");
    if (!flops || window.examples.empty() || !(window.examples.front() > 0)) continue;
    return estimate_row(title, Estimate{*flops / window.examples.front(), std::nullopt, 1}, IntervalKind::kNone);
  }
  return missing_row(title, kNoFormula);
}

MetricRow flops_of_steps(const std::vector<const ReplicateRecord*>& replicates,
                         const std::vector<SampleWindow>& windows) {
  const RowTitle title{"flops", "ratio", "derived"};
  double flops = 0;
  double examples = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const std::vector<double> each = step_flops(*replicates[i], windows[i], "useful_step_flops");
    if (each.size() != windows[i].examples.size()) continue;
    flops += std::accumulate(each.begin(), each.end(), 0.0);
    examples += std::accumulate(windows[i].examples.begin(), windows[i].examples.end(), 0.0);
    steps += each.size();
  }
  if (!(flops > 0) || !(examples > 0)) return missing_row(title, kNoFormula);
  return estimate_row(title, Estimate{flops / examples, std::nullopt, steps}, IntervalKind::kNone);
}

// Exact, too. Of what a plain engine computes on the same batches: all tokens of padded rows.
MetricRow skipped_row(const std::vector<const ReplicateRecord*>& replicates, const std::vector<SampleWindow>& windows) {
  const RowTitle title{"skipped_share", "ratio", "derived"};
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const auto padded = cycle_total(*replicates[i], windows[i], "padded_flops");
    const auto processed = cycle_total(*replicates[i], windows[i], "processed_flops");
    if (!padded || !processed) continue;
    return estimate_row(title, Estimate{1 - *processed / *padded, std::nullopt, 1}, IntervalKind::kNone);
  }
  return missing_row(title, kNoFormula);
}

MetricRow skipped_by_steps(const std::vector<const ReplicateRecord*>& replicates,
                           const std::vector<SampleWindow>& windows) {
  const RowTitle title{"skipped_share", "ratio", "derived"};
  double padded = 0;
  double processed = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const std::vector<double> whole = step_flops(*replicates[i], windows[i], "padded_step_flops");
    const std::vector<double> ran = step_flops(*replicates[i], windows[i], "processed_step_flops");
    if (whole.size() != ran.size()) continue;
    padded += std::accumulate(whole.begin(), whole.end(), 0.0);
    processed += std::accumulate(ran.begin(), ran.end(), 0.0);
    steps += whole.size();
  }
  if (!(padded > 0)) return missing_row(title, kNoFormula);
  return estimate_row(title, Estimate{1 - processed / padded, std::nullopt, steps}, IntervalKind::kNone);
}

std::vector<MetricRow> rows_of_steps(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates,
                                     const std::vector<SampleWindow>& windows) {
  const Rates useful = step_flop_rates(replicates, windows, "useful_step_flops");
  const Rates processed = step_flop_rates(replicates, windows, "processed_step_flops");
  const KnownPeak gemm = held_against(known_peak(the_case, "gemm"), {&useful, &processed});
  return {flops_of_steps(replicates, windows),
          replicated_row({"throughput_flops", "ratio", "derived"}, useful.estimates, useful.reason),
          share_row("mfu", useful, gemm),
          share_row("hfu", processed, gemm),
          skipped_by_steps(replicates, windows),
          missing_row({"bandwidth_share", "ratio", "derived"}, kNoBytesOfSteps)};
}

bool is_null_for(const MetricRow& row, std::string_view reason) {
  return !row.value && row.reason.starts_with(reason);
}

std::vector<MetricRow> rows_of_requests() {
  std::vector<MetricRow> rows;
  for (const std::string_view metric :
       {"flops", "throughput_flops", "mfu", "hfu", "skipped_share", "bandwidth_share"}) {
    rows.push_back(missing_row({metric, "ratio", "derived"}, kNoWorkOfRequests));
  }
  return rows;
}

}  // namespace

std::vector<MetricRow> efficiency_metrics(const CaseRecord& the_case, const Slices& slices) {
  const std::vector<const ReplicateRecord*>& replicates = slices.all;
  const std::vector<SampleWindow>& windows = slices.windows;
  const OfferedWork offered = work_of(scenario_of(the_case.requested));
  if (offered == OfferedWork::kRequests) return rows_of_requests();
  if (offered == OfferedWork::kSteps) return rows_of_steps(the_case, replicates, windows);
  const Rates useful = flop_rates(replicates, windows, "useful_flops");
  const Rates processed = flop_rates(replicates, windows, "processed_flops");
  const Rates bytes = byte_rates(replicates, windows);
  const KnownPeak gemm = of_one_format(held_against(known_peak(the_case, "gemm"), {&useful, &processed}), the_case);
  const KnownPeak bandwidth = held_against(known_peak(the_case, kReadBandwidthPeak), {&bytes});
  return {flops_row(replicates, windows),
          replicated_row({"throughput_flops", "ratio", "derived"}, useful.estimates, useful.reason),
          share_row("mfu", useful, gemm),
          share_row("hfu", processed, gemm),
          skipped_row(replicates, windows),
          share_row("bandwidth_share", bytes, bandwidth)};
}

bool is_below_achieved(const MetricRow& row) {
  return is_null_for(row, kPeakBelowAchieved);
}

namespace {

// Of the shares that are null for the reason `name`: the peaks and what is wrong with them.
void note_null_shares(std::string_view name, const VerdictInput& input, Verdict& verdict) {
  std::string text;
  for (const char* metric : {"mfu", "hfu", "bandwidth_share"}) {
    const MetricRow* row = find_metric(input.metrics, metric, "");
    if (row == nullptr || !is_null_for(*row, name)) continue;
    const std::string detail = row->reason.substr(name.size() + 2);  // without the note's own name
    if (text.find(detail) == std::string::npos) text += (text.empty() ? "" : "; ") + detail;
  }
  if (!text.empty()) verdict.add_note(name, text);
}

// Needs no peaks.
void note_launch_bound(const VerdictInput& input, Verdict& verdict) {
  const MetricRow* launch = find_metric(input.metrics, "launch_share", "");
  if (launch == nullptr || launch->value.value_or(0) < kLaunchBoundShare) return;
  verdict.add_note("launch_bound",
                   fmt::format("the host spent {:.0f} % of the time launching work", 100 * *launch->value));
}

}  // namespace

void note_bound(const VerdictInput& input, Verdict& verdict) {
  for (const std::string_view name : {kPeakBelowAchieved, kDisturbedPeaks}) note_null_shares(name, input, verdict);
  const MetricRow* compute = find_metric(input.metrics, "hfu", "");
  const MetricRow* memory = find_metric(input.metrics, "bandwidth_share", "");
  if (compute == nullptr || memory == nullptr || !compute->value || !memory->value) {
    return note_launch_bound(input, verdict);
  }
  const MetricRow* launch = find_metric(input.metrics, "launch_share", "");
  const std::optional<double> launch_share = launch == nullptr ? std::nullopt : launch->value;
  const Bound bound = bound_of(*compute->value, *memory->value, launch_share);
  std::string text = fmt::format(
      "at the measured peaks, matrix products account for {:.0f} % of the time and reading weights for {:.0f} %",
      100 * *compute->value, 100 * *memory->value);
  if (launch_share) text += fmt::format("; the host spent {:.0f} % launching work", 100 * *launch_share);
  verdict.add_note(fmt::format("{}_bound", name_of(bound)), text);
}

}  // namespace transformeter
