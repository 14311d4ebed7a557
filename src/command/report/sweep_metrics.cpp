// One table for each scenario.
#include "report/sweep_metrics.h"

#include <array>

namespace transformeter {
namespace {

constexpr std::array kBatchMetrics{
    SweepMetric{"latency", "Median latency of a batch", "latency", "Lower is better."},
    SweepMetric{"cycle_time", "Cycle time (one pass over all batches)", "cycle time",
                "Lower is better; compare only cases with the same data."},
    SweepMetric{"throughput_samples", "Throughput in samples", "samples", "Higher is better."},
    SweepMetric{"throughput_useful_tokens", "Throughput in useful tokens", "tokens",
                "Higher is better; padding excluded."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors", "Lower is better; mapped weights excluded."},
    SweepMetric{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
    SweepMetric{"accuracy", "Accuracy", "accuracy", "Higher is better."},
};

constexpr std::array kRequestMetrics{
    SweepMetric{"time_to_first_token", "Median time to first token", "time to first token", "Lower is better."},
    SweepMetric{"time_per_output_token", "Median time per output token", "time per output token",
                "Lower is better; the first token of a request is excluded."},
    SweepMetric{"throughput_decode_tokens", "New tokens per second", "tokens",
                "Higher is better; the first token of a request is excluded."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors",
                "Lower is better; includes the key-value cache, excludes mapped weights."},
};

constexpr std::array kStepMetrics{
    SweepMetric{"latency", "Median step time", "step time",
                "Lower is better for steps with the same number of examples; a step is one weight update."},
    SweepMetric{"throughput_useful_tokens", "Useful tokens per second in training", "tokens",
                "Higher is better; padding excluded."},
    SweepMetric{"throughput_samples", "Examples per second in training", "examples", "Higher is better."},
    SweepMetric{"data_wait", "Median wait for data per step", "wait for data",
                "Lower is better; includes waiting, collating and copying."},
    SweepMetric{"forward_time", "Median forward time per step", "forward", "Lower is better."},
    SweepMetric{"backward_time", "Median backward time per step", "backward", "Lower is better."},
    SweepMetric{"optimizer_time", "Median optimizer time per step", "optimizer",
                "Lower is better; gradient accumulation spreads it over more examples."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors",
                "Lower is better; includes weights, gradients and optimizer state."},
    SweepMetric{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
};

}  // namespace

std::span<const SweepMetric> sweep_metrics(Scenario scenario) {
  if (scenario == Scenario::kGenerate) return kRequestMetrics;
  if (scenario == Scenario::kTrain) return kStepMetrics;
  return kBatchMetrics;
}

}  // namespace transformeter
