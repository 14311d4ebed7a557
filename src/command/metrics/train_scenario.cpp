// Scenario `train`: times of steps and of their parts, and how the loss falls.
#include <array>

#include "metrics/scenario_type.h"
#include "metrics/train_metrics.h"

namespace transformeter {
namespace {

using enum ColumnForm;

constexpr std::array kColumns{
    ScenarioColumn{"step", "latency", kQuantity},
    ScenarioColumn{"sample/s", "throughput_samples", kRate},
    ScenarioColumn{"loss", "loss", kNumber, true},
    ScenarioColumn{"forward", "forward_time", kQuantity, true},
    ScenarioColumn{"backward", "backward_time", kQuantity, true},
    ScenarioColumn{"optimizer", "optimizer_time", kQuantity, true},
    ScenarioColumn{"data", "data_wait", kQuantity, true},
    ScenarioColumn{"peak RSS", "peak_rss", kNumber, true},
    ScenarioColumn{"useful token/s", "throughput_useful_tokens", kNumber, true},
    ScenarioColumn{"audio s/s", "throughput_audio_seconds", kNumber, true, true},
    ScenarioColumn{"MFU", "mfu", kNumber, true},
    ScenarioColumn{"tensors", "peak_allocated", kNumber, true},
};

constexpr std::array kFigures{
    ScenarioFigure{"latency", "Median step time", "step time",
                   "Lower is better for steps with the same number of examples; a step is one weight update."},
    ScenarioFigure{"throughput_useful_tokens", "Useful tokens per second in training", "tokens",
                   "Higher is better; padding excluded."},
    ScenarioFigure{"throughput_samples", "Examples per second in training", "examples", "Higher is better."},
    ScenarioFigure{"data_wait", "Median wait for data per step", "wait for data",
                   "Lower is better; includes waiting, collating and copying."},
    ScenarioFigure{"forward_time", "Median forward time per step", "forward", "Lower is better."},
    ScenarioFigure{"backward_time", "Median backward time per step", "backward", "Lower is better."},
    ScenarioFigure{"optimizer_time", "Median optimizer time per step", "optimizer",
                   "Lower is better; gradient accumulation spreads it over more examples."},
    ScenarioFigure{"peak_rss", "Peak resident memory", "peak RSS", "Lower is better."},
    ScenarioFigure{"peak_allocated", "Peak tensor memory", "tensors",
                   "Lower is better; includes weights, gradients and optimizer state."},
    ScenarioFigure{"mfu", "Model FLOP utilisation", "MFU", "Higher is better; 1 is the machine's measured peak."},
};

constexpr std::array kAnswers{
    ScenarioAnswer{"latency", false, "Lowest median latency"},
    ScenarioAnswer{"throughput_samples", true, "Highest throughput in samples"},
    ScenarioAnswer{"throughput_useful_tokens", true, "Highest throughput in useful tokens"},
    ScenarioAnswer{"throughput_audio_seconds", true, "Highest throughput in seconds of sound"},
};

}  // namespace

ScenarioType train_scenario() {
  return {Scenario::kTrain, true, train_metrics, kColumns, kFigures, kAnswers, ""};
}

}  // namespace transformeter
