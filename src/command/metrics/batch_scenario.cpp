// Scenario `batch`: times of batches or of whole cycles, and throughput.
#include <array>

#include "metrics/latency_metrics.h"
#include "metrics/scenario_type.h"

namespace transformeter {
namespace {

using enum ColumnForm;

constexpr std::array kColumns{
    ScenarioColumn{"", "latency", kHeadline},
    ScenarioColumn{"sample/s", "throughput_samples", kRate},
    ScenarioColumn{"accuracy", "accuracy", kQuantity, false, true},
    ScenarioColumn{"WER", "word_error_rate", kQuantity, false, true},
    ScenarioColumn{"log loss", "log_loss", kNumber, true, true},
    ScenarioColumn{"MFU", "mfu", kNumber, true, true},
    ScenarioColumn{"divergence", "divergence", kNumber, true, true},
    ScenarioColumn{"peak RSS", "peak_rss", kNumber, true},
    ScenarioColumn{"useful token/s", "throughput_useful_tokens", kNumber, true},
    ScenarioColumn{"audio s/s", "throughput_audio_seconds", kNumber, true, true},
    ScenarioColumn{"tensors", "peak_allocated", kNumber, true},
    ScenarioColumn{"undisturbed", "undisturbed_latency", kUndisturbed, true, true},
};

constexpr std::array kFigures{
    ScenarioFigure{"latency", "Median latency of a batch", "latency", "Lower is better."},
    ScenarioFigure{"cycle_time", "Cycle time (one pass over all batches)", "cycle time",
                   "Lower is better; compare only cases with the same data."},
    ScenarioFigure{"throughput_samples", "Throughput in samples", "samples", "Higher is better."},
    ScenarioFigure{"throughput_useful_tokens", "Throughput in useful tokens", "tokens",
                   "Higher is better; padding excluded."},
    ScenarioFigure{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    ScenarioFigure{"peak_allocated", "Peak tensor memory", "tensors", "Lower is better; mapped weights excluded."},
    ScenarioFigure{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
    ScenarioFigure{"accuracy", "Accuracy", "accuracy", "Higher is better."},
    ScenarioFigure{"word_error_rate", "Word error rate", "WER", "Lower is better."},
};

constexpr std::array kAnswers{
    ScenarioAnswer{"latency", false, "Lowest median latency"},
    ScenarioAnswer{"throughput_samples", true, "Highest throughput in samples"},
    ScenarioAnswer{"throughput_useful_tokens", true, "Highest throughput in useful tokens"},
    ScenarioAnswer{"throughput_audio_seconds", true, "Highest throughput in seconds of sound"},
};

std::vector<MetricRow> throughput_of(const CaseRecord& the_case, const Slices& slices) {
  std::vector<MetricRow> rows = throughput_metrics(the_case, slices);
  rows.push_back(batch_rate_metric(slices.windows));
  return rows;
}

}  // namespace

ScenarioType batch_scenario() {
  return {Scenario::kBatch, true, throughput_of, kColumns, kFigures, kAnswers, ""};
}

}  // namespace transformeter
