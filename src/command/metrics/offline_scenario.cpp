// Scenario `offline`: throughput over all examples. No single example is waited for, so there are no latencies.
#include <array>

#include "metrics/latency_metrics.h"
#include "metrics/scenario_type.h"

namespace transformeter {
namespace {

using enum ColumnForm;

constexpr std::array kColumns{
    ScenarioColumn{"sample/s", "throughput_samples", kRate},
    ScenarioColumn{"useful token/s", "throughput_useful_tokens", kRate},
    ScenarioColumn{"audio s/s", "throughput_audio_seconds", kRate, false, true},
    ScenarioColumn{"pass", "cycle_time", kQuantity},
    ScenarioColumn{"accuracy", "accuracy", kQuantity, false, true},
    ScenarioColumn{"WER", "word_error_rate", kQuantity, false, true},
    ScenarioColumn{"padding", "padding_share", kNumber, true, true},
    ScenarioColumn{"MFU", "mfu", kNumber, true, true},
    ScenarioColumn{"divergence", "divergence", kNumber, true, true},
    ScenarioColumn{"peak RSS", "peak_rss", kNumber, true},
    ScenarioColumn{"tensors", "peak_allocated", kNumber, true},
};

constexpr std::array kFigures{
    ScenarioFigure{"throughput_samples", "Throughput in samples", "samples", "Higher is better."},
    ScenarioFigure{"throughput_useful_tokens", "Throughput in useful tokens", "tokens",
                   "Higher is better; padding excluded."},
    ScenarioFigure{"padding_share", "Padding among the processed tokens", "padding", "Lower is better."},
    ScenarioFigure{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    ScenarioFigure{"peak_allocated", "Peak tensor memory", "tensors", "Lower is better; mapped weights excluded."},
    ScenarioFigure{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
    ScenarioFigure{"accuracy", "Accuracy", "accuracy", "Higher is better."},
    ScenarioFigure{"word_error_rate", "Word error rate", "WER", "Lower is better."},
};

constexpr std::array kAnswers{
    ScenarioAnswer{"throughput_samples", true, "Highest throughput in samples"},
    ScenarioAnswer{"throughput_useful_tokens", true, "Highest throughput in useful tokens"},
    ScenarioAnswer{"throughput_audio_seconds", true, "Highest throughput in seconds of sound"},
};

constexpr std::string_view kMeaning =
    "In the scenario offline, all examples are there from the start, grouped by batch size and batching, and nothing "
    "waits "
    "between batches. Throughput is examples ÷ the time of a pass over all of them; no example has a latency of its "
    "own. "
    "Where a data set is too long for the time limit, a pass is over a part of it (note cycle_cut), which leaves "
    "batching "
    "bucketed fewer texts to sort.";

std::vector<MetricRow> metrics_of(const CaseRecord& the_case, const Slices& slices) {
  std::vector<MetricRow> rows = throughput_metrics(the_case, slices);
  rows.insert(rows.begin(), cycle_time_metric(slices.windows));
  return rows;
}

}  // namespace

ScenarioType offline_scenario() {
  return {Scenario::kOffline, false, metrics_of, kColumns, kFigures, kAnswers, kMeaning, "time of a pass"};
}

}  // namespace transformeter
