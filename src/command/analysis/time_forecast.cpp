// Rates of useful FLOPs carry over where kernel, precision and threads are the same, to other sizes of one model at
// least.
#include "analysis/time_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "metrics/case_settings.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostRuns = 20;  // the latest ones say how fast the machine is
constexpr std::size_t kFewestErrors = 3;
constexpr std::size_t kMostLookedAt = 100;  // of all machines
// Settings that say what is computed, or for how long it is measured. All others say how it runs.
constexpr std::array<std::string_view, 18> kMayDiffer{"model",
                                                      "task",
                                                      "data",
                                                      "batch_size",
                                                      "sequence_length",
                                                      "audio_seconds",
                                                      "max_length",
                                                      "gradient_accumulation",
                                                      "limit",
                                                      "samples",
                                                      "cycles",
                                                      "warmup",
                                                      "seed",
                                                      "memory_limit",
                                                      "loader_threads",
                                                      "learning_rate",
                                                      "weight_decay",
                                                      "max_gradient_norm"};

bool is_natural(const Json& settings) {
  return settings.value("sequence_length", Json()) == "natural";
}

// Whether the other one has each setting of the first that says how it runs.
bool has_settings_of(const Json& other, const Json& one) {
  const auto& settings = one.items();
  return std::all_of(settings.begin(), settings.end(), [&](const auto& setting) {
    const bool may_differ = std::find(kMayDiffer.begin(), kMayDiffer.end(), setting.key()) != kMayDiffer.end();
    return may_differ || other.value(setting.key(), Json()) == setting.value();
  });
}

bool are_alike(const Json& one, const Json& other) {
  return is_natural(one) == is_natural(other) && has_settings_of(one, other) && has_settings_of(other, one);
}

bool are_of_one_model(const Json& one, const Json& other) {
  return one.value("model", Json()) == other.value("model", Json());
}

// On the logarithm.
double distance(double one, double other) {
  return std::abs(std::log(one / other));
}

// Errors of forecasts between cases that are measured: from the same model, or from another one, as far at least.
std::vector<double> log_errors(const std::vector<const MeasuredRate*>& alike, bool is_of_one_model, double farther) {
  constexpr double kRounding = 1e-9;
  std::vector<double> errors;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    for (std::size_t j = i + 1; j < alike.size(); ++j) {
      const MeasuredRate& one = *alike[i];
      const MeasuredRate& other = *alike[j];
      if (are_of_one_model(one.settings, other.settings) != is_of_one_model) continue;
      if (distance(one.flops, other.flops) < farther - kRounding) continue;
      errors.push_back(distance(one.flops_per_s, other.flops_per_s));
    }
  }
  return errors;
}

std::optional<MeasuredRate> rate_of(const AnalyzedCase& one, const std::string& run_id) {
  const MetricRow* flops = shown_metric(one, "flops");
  const MetricRow* rate = shown_metric(one, "throughput_flops");
  if (!one.is_usable() || flops == nullptr || !flops->value || rate == nullptr || !rate->value) return std::nullopt;
  const auto number = [&](const char* setting) { return number_of_path(one.record->requested, {setting}).value_or(1); };
  MeasuredRate measured{one.record->requested, one.label, run_id,     0,
                        *rate->value,          rate->low, rate->high, one.is_doubtful()};
  measured.flops = *flops->value * number("batch_size");
  if (one.record->requested.value("scenario", Json()) == "train") measured.flops *= number("gradient_accumulation");
  return measured.flops > 0 && measured.flops_per_s > 0 ? std::optional(measured) : std::nullopt;
}

}  // namespace

std::vector<MeasuredRate> measured_rates(Store& store, const std::string& fingerprint) {
  std::map<std::string, MeasuredRate> by_case;
  std::size_t runs = 0, looked_at = 0;
  for (const RunRecord& listed : store.list_runs()) {
    if (runs == kMostRuns || looked_at++ == kMostLookedAt) break;
    const RunRecord run = load_analyzed_run(store, listed.id);
    if (text_of_path(run.host, {"fingerprint"}) != fingerprint) continue;
    ++runs;
    for (const AnalyzedCase& one : analyze_run(run).cases) {
      const std::optional<MeasuredRate> rate = rate_of(one, run.id);
      if (!rate) continue;
      const auto [known, is_new] = by_case.emplace(one.record->plan_key, *rate);
      if (!is_new && known->second.is_doubtful && !rate->is_doubtful) known->second = *rate;
    }
  }
  std::vector<MeasuredRate> rates;
  for (auto& [key, rate] : by_case) rates.push_back(std::move(rate));
  return rates;
}

std::optional<ScaledTime> scaled_time(const CaseWork& asked, const std::vector<MeasuredRate>& measured) {
  std::vector<const MeasuredRate*> alike;
  for (const MeasuredRate& one : measured) {
    if (are_alike(asked.settings, one.settings)) alike.push_back(&one);
  }
  if (alike.empty() || !(asked.flops > 0)) return std::nullopt;
  const auto order = [&](const MeasuredRate* one) {
    return std::tuple(!are_of_one_model(asked.settings, one->settings), one->is_doubtful,
                      distance(asked.flops, one->flops));
  };
  const MeasuredRate& from = **std::min_element(
      alike.begin(), alike.end(),
      [&](const MeasuredRate* left, const MeasuredRate* right) { return order(left) < order(right); });
  const double flops = asked.flops * asked.batches;
  ScaledTime time{flops / from.flops_per_s, std::nullopt, std::nullopt, from.label, from.run_id, from.is_doubtful};
  const std::vector<double> errors =
      log_errors(alike, are_of_one_model(asked.settings, from.settings), distance(asked.flops, from.flops));
  const double slowest = from.low_per_s.value_or(from.flops_per_s);
  if (errors.size() < kFewestErrors || !(slowest > 0)) return time;
  const double factor = std::exp(*std::max_element(errors.begin(), errors.end()));
  time.low_s = flops / from.high_per_s.value_or(from.flops_per_s) / factor;
  time.high_s = flops / slowest * factor;
  return time;
}

}  // namespace transformeter
