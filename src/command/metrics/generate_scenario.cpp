// Scenario `generate`: times of requests, of their first and of each further token.
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/case_settings.h"
#include "metrics/latency_metrics.h"
#include "metrics/metric_rows.h"
#include "metrics/part_windows.h"
#include "metrics/scalar_metrics.h"
#include "metrics/scenario_type.h"

namespace transformeter {
namespace {

using enum ColumnForm;

constexpr std::array kColumns{
    ScenarioColumn{"first token", "time_to_first_token", kQuantity},
    ScenarioColumn{"per token", "time_per_output_token", kQuantity},
    ScenarioColumn{"token/s", "throughput_decode_tokens", kRate},
    ScenarioColumn{"peak RSS", "peak_rss", kNumber},
    ScenarioColumn{"request", "latency", kQuantity, true},
    ScenarioColumn{"prompt token/s", "throughput_prefill_tokens", kNumber, true},
    ScenarioColumn{"cache", "cache_bytes", kNumber, true},
    ScenarioColumn{"tensors", "peak_allocated", kNumber, true},
};

constexpr std::array kFigures{
    ScenarioFigure{"time_to_first_token", "Median time to first token", "time to first token", "Lower is better."},
    ScenarioFigure{"time_per_output_token", "Median time per output token", "time per output token",
                   "Lower is better; the first token of a request is excluded."},
    ScenarioFigure{"throughput_decode_tokens", "New tokens per second", "tokens",
                   "Higher is better; the first token of a request is excluded."},
    ScenarioFigure{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    ScenarioFigure{"peak_allocated", "Peak tensor memory", "tensors",
                   "Lower is better; includes the key-value cache, excludes mapped weights."},
};

constexpr std::array kAnswers{
    ScenarioAnswer{"time_to_first_token", false, "Lowest time to first token"},
    ScenarioAnswer{"time_per_output_token", false, "Lowest time per output token"},
};

constexpr std::string_view kMeaning =
    "In the scenario generate, a request starts with its prompt and an empty key-value cache. Time to first token is "
    "the prefill of the prompt; time per token is the time of all further tokens ÷ their number.";

constexpr std::string_view kOneToken = "only one new token was generated";
constexpr std::string_view kNotAlike = "steps of a request differ: each reads a longer cache";

// Of one replicate: the requests that count, seen by their parts.
struct Requests {
  SampleWindow first_token;  // seconds to the first token
  SampleWindow decode;       // seconds of all further tokens
  SampleWindow per_token;    // the same for each of them
  SampleWindow steps;        // each step by itself
};

Requests requests_of(const ReplicateRecord& replicate, const SampleWindow& window, std::size_t steps) {
  static const Series kNone;
  const auto series = [&](std::string_view name) -> const Series& {
    const Series* found = find_series(replicate.series, name);
    return found == nullptr ? kNone : *found;
  };
  const std::size_t all = series("latency").value.size();
  Requests requests;
  const Series& first = series("time_to_first_token");
  requests.first_token = part_window(window, taken(first.value, window, all));
  requests.first_token.useful_tokens = taken(first.useful_tokens, window, all);
  const std::vector<double> each = taken(series("decode_step").value, window, all, steps);
  std::vector<double> totals;
  std::vector<double> shares;
  for (std::size_t begin = 0; begin < each.size(); begin += steps) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + steps; ++i) sum += each[i];
    totals.push_back(sum);
    shares.push_back(sum / static_cast<double>(steps));
  }
  requests.decode = part_window(window, totals);
  requests.decode.useful_tokens.assign(requests.decode.samples.size(), static_cast<double>(steps));
  requests.per_token = part_window(window, shares);
  requests.steps = part_window(window, each);
  return requests;
}

// New tokens after the first; nothing where the case does not say.
std::optional<std::size_t> step_count(const CaseRecord& the_case) {
  const auto tokens = number_of_path(the_case.requested, {"new_tokens"});
  if (!tokens || !(*tokens >= 1) || !(*tokens < 1e9)) return std::nullopt;
  return static_cast<std::size_t>(*tokens) - 1;
}

void append(std::vector<MetricRow>& rows, const std::vector<MetricRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

void append_decode(std::vector<MetricRow>& rows, const std::vector<SampleWindow>& per_token,
                   const std::vector<SampleWindow>& steps, bool is_one_token) {
  if (is_one_token) {
    append(rows, missing_duration("time_per_output_token", kOneToken));
    append(rows, missing_duration("inter_token_latency", kOneToken));
    return;
  }
  append(rows, duration_metrics("time_per_output_token", per_token));
  append(rows, described_durations("inter_token_latency", steps, kNotAlike));
}

// The steps of a request lie behind one another: those of request i from i · (new tokens − 1) on.
// `slices.windows` are those of `latency`; the same requests count here. What the series lack is missing with the
// reason.
std::vector<MetricRow> generate_metrics(const CaseRecord& the_case, const Slices& slices) {
  const std::vector<SampleWindow>& windows = slices.windows;
  const auto steps = step_count(the_case);
  std::vector<SampleWindow> first_token;
  std::vector<SampleWindow> decode;
  std::vector<SampleWindow> per_token;
  std::vector<SampleWindow> each_step;
  for (std::size_t i = 0; i < slices.all.size(); ++i) {
    Requests requests = requests_of(*slices.all[i], windows[i], steps.value_or(0));
    first_token.push_back(std::move(requests.first_token));
    decode.push_back(std::move(requests.decode));
    per_token.push_back(std::move(requests.per_token));
    each_step.push_back(std::move(requests.steps));
  }
  const bool is_one_token = steps == std::size_t{0};
  std::vector<MetricRow> rows = duration_metrics("time_to_first_token", first_token);
  append_decode(rows, per_token, each_step, is_one_token);
  for (MetricRow& row : example_metrics(windows)) rows.push_back(std::move(row));
  rows.push_back(rate_metric("throughput_prefill_tokens", first_token, &SampleWindow::useful_tokens));
  rows.push_back(is_one_token ? missing_row({"throughput_decode_tokens", "ratio"}, kOneToken)
                              : rate_metric("throughput_decode_tokens", decode, &SampleWindow::useful_tokens));
  rows.push_back(scalar_metric(slices.replicates, "cache_bytes"));
  return rows;
}

}  // namespace

ScenarioType generate_scenario() {
  return {Scenario::kGenerate, true, generate_metrics, kColumns, kFigures, kAnswers, kMeaning};
}

}  // namespace transformeter
