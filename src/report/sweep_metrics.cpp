// One table for each scenario.
#include "report/sweep_metrics.h"

#include <array>

namespace transformeter {
namespace {

constexpr std::array kBatchMetrics{
    SweepMetric{"latency", "Median latency of a batch", "latency", "Lower is better."},
    SweepMetric{"cycle_time", "Time of one pass over all batches", "cycle time",
                "Lower is better; compare only cases of the same data."},
    SweepMetric{"throughput_samples", "Throughput in samples", "samples", "Higher is better."},
    SweepMetric{"throughput_useful_tokens", "Throughput in useful tokens", "tokens",
                "Higher is better; padding is not counted."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors", "Lower is better; mapped weights are not in it."},
    SweepMetric{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
    SweepMetric{"accuracy", "Accuracy", "accuracy", "Higher is better."},
};

constexpr std::array kRequestMetrics{
    SweepMetric{"time_to_first_token", "Median time to the first token", "time to the first token", "Lower is better."},
    SweepMetric{"time_per_output_token", "Median time per output token", "time per output token",
                "Lower is better; the first token of a request is not in it."},
    SweepMetric{"throughput_decode_tokens", "Rate of new tokens", "tokens",
                "Higher is better; the first token of a request is not in it."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors",
                "Lower is better; the key-value cache is in it, mapped weights are not."},
};

constexpr std::array kStepMetrics{
    SweepMetric{"latency", "Median time of a step", "time of a step",
                "Lower is better among steps of as many examples; a step is one update of the weights."},
    SweepMetric{"throughput_useful_tokens", "Rate of useful tokens in training", "tokens",
                "Higher is better; padding is not counted."},
    SweepMetric{"throughput_samples", "Rate of examples in training", "examples", "Higher is better."},
    SweepMetric{"data_wait", "Median wait for data in a step", "wait for data",
                "Lower is better; waiting, laying out and copying are in it."},
    SweepMetric{"forward_time", "Median time of a step's forward passes", "forward", "Lower is better."},
    SweepMetric{"backward_time", "Median time of a step's backward passes", "backward", "Lower is better."},
    SweepMetric{"optimizer_time", "Median time of a step's optimizer", "optimizer",
                "Lower is better; more accumulation shares it among more examples."},
    SweepMetric{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    SweepMetric{"peak_allocated", "Peak tensor memory", "tensors",
                "Lower is better; weights, gradients and the optimizer's state are in it."},
    SweepMetric{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
};

}  // namespace

std::span<const SweepMetric> sweep_metrics(std::string_view scenario) {
  if (scenario == "generate") return kRequestMetrics;
  if (scenario == "train") return kStepMetrics;
  return kBatchMetrics;
}

}  // namespace transformeter
