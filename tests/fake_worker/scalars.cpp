// The table of defaults: a small quiet machine.
#include "fake_worker/scalars.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schema/metric_names.h"

namespace transformeter {
namespace {

struct Scalar {
  std::string_view name;
  Stage stage;
  std::optional<double> value;  // nothing: computed apart, or not there
};

constexpr double kMebibyte = 1048576;

constexpr std::array kScalars{
    Scalar{"load_time", Stage::kPrepare, 0.4},
    Scalar{"tokenize_time", Stage::kPrepare, 0.05},
    Scalar{"baseline_rss", Stage::kPrepare, 150 * kMebibyte},
    Scalar{"peak_rss_load", Stage::kPrepare, 500 * kMebibyte},
    Scalar{"weight_bytes", Stage::kPrepare, 256 * kMebibyte},
    Scalar{"latency", Stage::kMeasure, std::nullopt},
    Scalar{"sample_cpu_time", Stage::kMeasure, std::nullopt},
    Scalar{"time_to_first_token", Stage::kMeasure, std::nullopt},
    Scalar{"decode_step", Stage::kMeasure, std::nullopt},
    Scalar{"cache_bytes", Stage::kWarm, std::nullopt},
    Scalar{"first_forward", Stage::kWarm, std::nullopt},
    Scalar{"cold_start", Stage::kWarm, std::nullopt},
    Scalar{"window", Stage::kMeasure, std::nullopt},
    Scalar{"harness_cost", Stage::kMeasure, 2e-7},
    Scalar{"clock_resolution", Stage::kMeasure, 3e-8},
    Scalar{"peak_rss", Stage::kMeasure, 600 * kMebibyte},
    Scalar{"peak_anonymous", Stage::kMeasure, 450 * kMebibyte},
    Scalar{"pss_at_end", Stage::kMeasure, 550 * kMebibyte},
    Scalar{"peak_allocated", Stage::kMeasure, 100 * kMebibyte},
    Scalar{"useful_flops", Stage::kMeasure, std::nullopt},
    Scalar{"processed_flops", Stage::kMeasure, std::nullopt},
    Scalar{"padded_flops", Stage::kMeasure, std::nullopt},
    Scalar{"audio_seconds", Stage::kMeasure, std::nullopt},
    Scalar{"weight_bytes_read", Stage::kMeasure, 100 * kMebibyte},
    Scalar{"own_cpu_time", Stage::kMeasure, 0.2},
    Scalar{"allowed_cpus", Stage::kMeasure, 2.0},
    Scalar{"foreign_cpu_time", Stage::kMeasure, 0.0},
    Scalar{"steal_time", Stage::kMeasure, 0.0},
    Scalar{"correct", Stage::kEvaluate, 45.0},
    Scalar{"evaluated", Stage::kEvaluate, 64.0},
    Scalar{"true_class", Stage::kEvaluate, std::nullopt},
    Scalar{"predicted_class", Stage::kEvaluate, std::nullopt},
    Scalar{"non_finite_outputs", Stage::kEvaluate, 0.0},
    Scalar{"divergence", Stage::kCommand, std::nullopt},
    Scalar{"divergence_max", Stage::kCommand, std::nullopt},
    Scalar{"compared_inputs", Stage::kCommand, std::nullopt},
    Scalar{"compared_rows", Stage::kCommand, std::nullopt},
    Scalar{"agreed_rows", Stage::kCommand, std::nullopt},
    // Of a GPU, and of counters that a small machine lacks: sent only where a test asks for them.
    Scalar{"device_time", Stage::kMeasure, std::nullopt},
    Scalar{"launch_time", Stage::kMeasure, std::nullopt},
    Scalar{"host_to_device", Stage::kMeasure, std::nullopt},
    Scalar{"device_to_host", Stage::kMeasure, std::nullopt},
    Scalar{"back_to_back", Stage::kMeasure, std::nullopt},
    Scalar{"peak_reserved", Stage::kMeasure, std::nullopt},
    Scalar{"device_process_memory", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_other_processes", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_other_memory", Stage::kMeasure, std::nullopt},
    Scalar{"sm_clock_before", Stage::kMeasure, std::nullopt},
    Scalar{"sm_clock_after", Stage::kMeasure, std::nullopt},
    Scalar{"sm_clock_max", Stage::kMeasure, std::nullopt},
    Scalar{"memory_clock_after", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_temperature_before", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_temperature_after", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_power_after", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_utilization_after", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_throttle_reasons_before", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_throttle_reasons_after", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_thermal_violation_time", Stage::kMeasure, std::nullopt},
    Scalar{"gpu_power_violation_time", Stage::kMeasure, std::nullopt},
    Scalar{"energy_counted", Stage::kMeasure, std::nullopt},
    Scalar{"energy_window", Stage::kMeasure, std::nullopt},
    Scalar{"energy_counter_period", Stage::kCommand, std::nullopt},
    Scalar{"idle_power", Stage::kCommand, std::nullopt},
    Scalar{"slice_first_sample", Stage::kCommand, std::nullopt},
    Scalar{"slice_start", Stage::kCommand, std::nullopt},
    Scalar{"slice_round", Stage::kCommand, std::nullopt},
    Scalar{"independent_slices", Stage::kCommand, std::nullopt},
};

double default_of(std::string_view unit) {
  if (unit == "s") return 0.001;
  if (unit == "bytes") return kMebibyte;
  return 0;
}

}  // namespace

std::vector<Series> scalars_of(Stage stage, const Json& overrides) {
  std::vector<Series> result;
  for (const MetricTerm& term : series_terms()) {
    const auto* known =
        std::find_if(kScalars.begin(), kScalars.end(), [&](const Scalar& scalar) { return scalar.name == term.name; });
    const bool is_known = known != kScalars.end();
    if ((is_known ? known->stage : Stage::kMeasure) != stage || term.name == "latency") continue;
    const auto wanted = overrides.find(std::string(term.name));
    if (wanted != overrides.end()) {
      if (!wanted->is_null()) result.push_back(scalar_series(term.name, wanted->get<double>()));
    } else if (!is_known || known->value) {
      result.push_back(scalar_series(term.name, is_known ? *known->value : default_of(term.unit)));
    }
  }
  return result;
}

std::vector<Series> evaluated_series(const Json& overrides) {
  constexpr double kMaxAnswers = 1e6;
  std::vector<Series> result = scalars_of(Stage::kEvaluate, overrides);
  const Series* correct = find_series(result, "correct");
  const Series* evaluated = find_series(result, "evaluated");
  if (correct == nullptr || evaluated == nullptr || !(evaluated->value.front() <= kMaxAnswers)) return result;
  std::vector<double> labels;
  std::vector<double> predicted;
  for (int i = 0; i < evaluated->value.front(); ++i) {
    labels.push_back(i % 2);
    predicted.push_back(i < correct->value.front() ? i % 2 : 1 - i % 2);
  }
  const auto add = [&](const char* name, std::vector<double> values) {
    const auto wanted = overrides.find(name);
    if (wanted == overrides.end() || !wanted->is_null()) result.push_back(value_series(name, std::move(values)));
  };
  add("true_class", std::move(labels));
  add("predicted_class", std::move(predicted));
  return result;
}

}  // namespace transformeter
