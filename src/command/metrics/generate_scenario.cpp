// Scenario `generate`: times of requests, of their first and of each further token.
#include <array>

#include "metrics/generate_metrics.h"
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

}  // namespace

ScenarioType generate_scenario() {
  return {Scenario::kGenerate, true, generate_metrics, kColumns, kFigures, kAnswers, kMeaning};
}

}  // namespace transformeter
