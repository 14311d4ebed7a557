// The rules of samples and of what ran; machine_rules.cpp and verdict_notes.cpp hold the others.
#include "metrics/verdict_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "metrics/case_settings.h"
#include "metrics/divergence_metrics.h"
#include "metrics/latency_metrics.h"
#include "metrics/linear_type_rule.h"
#include "metrics/scalar_metrics.h"
#include "stats/estimate.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace transformeter {
namespace {

// "sdpa" leaves the choice to LibTorch, "trial" to a trial; what it must not become is the three operators of "eager",
// or no attention at all.
bool is_kernel_of(std::string_view asked, std::string_view ran) {
  if (asked != "sdpa" && asked != "trial") return ran == asked;
  return ran != "eager" && ran != "none";
}

// "cuda" is answered by "cuda:0".
bool is_device_of(std::string_view asked, std::string_view ran) {
  return ran == asked ||
         (ran.size() > asked.size() && ran.substr(0, asked.size()) == asked && ran[asked.size()] == ':');
}

struct ExecutionRule {
  const char* reason;
  const char* requested;  // key in `requested`
  const char* effective;  // key in `effective`
  bool (*fits)(std::string_view asked, std::string_view ran);
};

constexpr ExecutionRule kExecutionRules[] = {
    {"wrong_kernel", "attention", "attention_kernel", &is_kernel_of},
    {"wrong_kernel", "attention", "attention_kernel_prefill", &is_kernel_of},
    {"wrong_kernel", "attention", "attention_kernel_decode", &is_kernel_of},
    {"wrong_precision", "precision", "precision",
     [](std::string_view asked, std::string_view ran) { return asked == ran; }},
    {"device_fallback", "device", "device", &is_device_of},
};

std::optional<double> mean_of_times(const std::vector<double>& seconds) {
  const auto summary = summarize(seconds);
  return summary ? std::optional(summary->mean) : std::nullopt;
}

// A reason comes once: where the precision read back is another one, it is said already.
void judge_linear_types(const VerdictInput& input, Verdict& verdict) {
  const bool is_known = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                    [](const Finding& finding) { return finding.name == "wrong_precision"; });
  if (is_known) return;
  const std::string text = wrong_linear_types(input.the_case);
  if (!text.empty()) verdict.add_reason("wrong_precision", text);
}

}  // namespace

std::string join_details(const VerdictInput& input, const std::vector<std::string>& details) {
  std::string text;
  for (std::size_t i = 0; i < details.size(); ++i) {
    if (details[i].empty()) continue;
    if (!text.empty()) text += "; ";
    if (input.the_case.replicates.size() > 1) text += fmt::format("replicate {}: ", input.replicates[i]->index);
    text += details[i];
  }
  return text;
}

std::string slices_text(const VerdictInput& input, const std::vector<std::string>& details) {
  const auto hits = static_cast<std::size_t>(
      std::count_if(details.begin(), details.end(), [](const std::string& detail) { return !detail.empty(); }));
  if (hits == 0) return "";
  const std::string& first =
      *std::find_if(details.begin(), details.end(), [](const std::string& detail) { return !detail.empty(); });
  if (details.size() == 1) return first;
  const bool are_replicates = input.slices.size() == input.replicates.size();
  return fmt::format("in {} of {} {}; the first: {}", hits, details.size(), are_replicates ? "replicates" : "slices",
                     first);
}

std::vector<double> slice_times(const std::vector<SampleWindow>& windows) {
  constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> times;
  for (const SampleWindow& window : windows) {
    const auto time = window.is_of_cycles() ? mean_of_times(window.seconds) : median_of(window.samples);
    times.push_back(time.value_or(kNoTime));
  }
  return times;
}

std::optional<double> headline_half_width(const std::vector<MetricRow>& metrics) {
  const MetricRow* row = headline(metrics);
  if (row == nullptr || !row->value || !row->low || !row->high) return std::nullopt;
  Interval interval{*row->low, *row->high};
  if (is_over_slices(row->interval)) {
    const double half = (interval.high - interval.low) / 2;
    interval = {*row->value - half, *row->value + half};
  }
  return relative_half_width(Estimate{*row->value, interval, row->n});
}

namespace {

// Three or more looks at the machine, whether in one process or several.
bool has_slices(const VerdictInput& input) {
  return input.slices.size() >= 3;
}

// Of one window: what the samples say of themselves is all there is.
std::string problems_of(const VerdictInput& input) {
  std::vector<std::string> problems;
  for (const SampleWindow& window : input.windows) problems.push_back(window.problem);
  return slices_text(input, problems);
}

void judge_convergence(const VerdictInput& input, Verdict& verdict) {
  std::string why = has_slices(input) ? "" : problems_of(input);
  const MetricRow* row = headline(input.metrics);
  const auto half_width = headline_half_width(input.metrics);
  if (half_width && *half_width > kMaxHalfWidth) {
    if (!why.empty()) why += "; ";
    const std::string what = fmt::format("{} {}", row->statistic, row->name);
    why += is_over_slices(row->interval) ? fmt::format("the interval spans {:.1f} % of the {}, more than {:.0f} %",
                                                       200 * *half_width, what, 200 * kMaxHalfWidth)
                                         : fmt::format("the {} has an interval of ± {:.1f} %, wider than ± {:.0f} %",
                                                       what, 100 * *half_width, 100 * kMaxHalfWidth);
  } else if (!half_width && why.empty()) {
    why = fmt::format("no interval for the {} {} from {}: {}", row->statistic, row->name, counted(row->n, "sample"),
                      row->low ? "the value is 0" : row->reason);
  }
  if (!why.empty()) verdict.add_reason("not_converged", why);
}

// Of the medians of eight blocks of successive slices, relative to the smallest: the range of single slices grows with
// their number.
double range_of_blocks(const std::vector<double>& slices) {
  const std::size_t blocks = std::min(slices.size(), kFewestSlices);
  std::vector<double> medians;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto place = [&](std::size_t block) { return slices.begin() + block * slices.size() / blocks; };
    medians.push_back(*median_of(std::vector<double>(place(i), place(i + 1))));
  }
  const auto [least, greatest] = std::minmax_element(medians.begin(), medians.end());
  return *greatest / *least - 1;
}

// Slices are independent looks at the machine's moods, and their interval holds what they differ by: a trend in them is
// not a fault until it is large.
void judge_drift(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> drifting;
  for (const SampleWindow& window : input.windows) drifting.push_back(window.drift ? window.problem : "");
  std::string text = slices_text(input, drifting);
  if (!has_slices(input)) {
    if (!text.empty()) verdict.add_reason("drift", text);
    return;
  }
  const std::vector<double> times = slice_times(input.windows);
  if (!all_finite(times) || (text.empty() && !drifts(times))) return;
  const double range = range_of_blocks(times);
  text = fmt::format("the slices' {} range over {:.1f} %{}{}",
                     input.windows.front().is_of_cycles() ? "cycle times" : "medians", 100 * range,
                     text.empty() ? "" : "; samples drift ", text);
  if (range > kMaxDriftRange) {
    verdict.add_reason("drift", text);
  } else {
    verdict.add_note("drift", text);
  }
}

}  // namespace

void judge_samples(const VerdictInput& input, Verdict& verdict) {
  judge_convergence(input, verdict);
  judge_drift(input, verdict);
}

// Simulated with the noise of shared machines, such an interval holds the truth in 0 to 47 % of the runs.
void judge_window(const VerdictInput& input, Verdict& verdict) {
  const MetricRow* row = headline(input.metrics);
  if (row == nullptr || row->interval != IntervalKind::kSingleWindow) return;
  if (input.slices.size() <= 2) {
    verdict.add_reason(
        "single_window",
        fmt::format("{} at the machine; an interval needs {} slices spread over {:.0f} s",
                    input.slices.size() == 1 ? "one look" : "two looks", kFewestSlices, kShortestSpreadS));
    return;
  }
  const auto [first, last] = std::minmax_element(
      input.windows.begin(), input.windows.end(),
      [](const SampleWindow& a, const SampleWindow& b) { return a.start_s.value_or(0) < b.start_s.value_or(0); });
  verdict.add_reason(
      "single_window",
      fmt::format("{} slices within {:.3g} s; an interval needs {} spread over {:.0f} s", input.slices.size(),
                  last->start_s.value_or(0) - first->start_s.value_or(0), kFewestSlices, kShortestSpreadS));
}

void judge_execution(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> numerics;
  for (const ReplicateRecord* replicate : input.replicates) {
    const double count = scalar_of(*replicate, "non_finite_outputs").value_or(0);
    numerics.push_back(count > 0 ? fmt::format("{:.0f} outputs are NaN or infinite", count)
                                 : excessive_divergence(input.the_case, *replicate));
  }
  if (const std::string text = join_details(input, numerics); !text.empty()) verdict.add_reason("numerics", text);
  for (const ExecutionRule& rule : kExecutionRules) {
    const auto asked = text_of_path(input.the_case.requested, {rule.requested});
    const auto ran = text_of_path(input.the_case.effective, {rule.effective});
    if (!asked || !ran || *asked == "auto" || rule.fits(*asked, *ran)) continue;
    verdict.add_reason(rule.reason, fmt::format("requested {} '{}', ran '{}'", rule.requested, *asked, *ran));
  }
  judge_linear_types(input, verdict);
}

}  // namespace transformeter
