// Times in proportion to FLOPs: near enough where kernel, precision and threads are the same.
#include "analysis/time_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "metrics/case_settings.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostRuns = 20;  // the latest ones say how fast the machine is
constexpr std::array kSame{"scenario", "device", "engine", "precision", "threads"};

// What is still to be chosen may be anything.
bool may_be_same(const Json& one, const Json& other, const char* setting) {
  const Json left = one.value(setting, Json());
  const Json right = other.value(setting, Json());
  return left == right || left == "auto" || right == "auto";
}

bool are_alike(const Json& one, const Json& other) {
  return std::all_of(kSame.begin(), kSame.end(), [&](const char* setting) { return may_be_same(one, other, setting); });
}

// Another model counts as a factor of so much in FLOPs.
double distance(const Json& requested, double flops, const MeasuredRate& measured) {
  constexpr double kOtherModel = 100;
  const bool is_same = requested.value("model", Json()) == measured.requested.value("model", Json());
  return std::abs(std::log(flops / measured.flops)) + (is_same ? 0 : std::log(kOtherModel));
}

const MeasuredRate* nearest(const Json& requested, double flops, const std::vector<MeasuredRate>& measured,
                            const MeasuredRate* but) {
  const MeasuredRate* found = nullptr;
  for (const MeasuredRate& one : measured) {
    if (&one == but || !are_alike(requested, one.requested)) continue;
    if (found == nullptr || distance(requested, flops, one) < distance(requested, flops, *found)) found = &one;
  }
  return found;
}

// Each alike case forecast from the others.
std::vector<double> log_errors(const Json& requested, const std::vector<MeasuredRate>& measured) {
  std::vector<double> errors;
  for (const MeasuredRate& one : measured) {
    if (!are_alike(requested, one.requested)) continue;
    const MeasuredRate* other = nearest(one.requested, one.flops, measured, &one);
    if (other != nullptr) errors.push_back(std::abs(std::log(other->time_s * one.flops / other->flops / one.time_s)));
  }
  return errors;
}

}  // namespace

std::vector<MeasuredRate> measured_rates(Store& store, const std::string& fingerprint) {
  std::vector<MeasuredRate> rates;
  std::size_t runs = 0;
  for (const RunRecord& listed : store.list_runs()) {
    if (runs == kMostRuns) break;
    const RunRecord run = load_analyzed_run(store, listed.id);
    if (text_of_path(run.host, {"fingerprint"}) != fingerprint) continue;
    ++runs;
    for (const AnalyzedCase& one : analyze_run(run).cases) {
      const MetricRow* time = headline_time(one);
      const MetricRow* rate = shown_metric(one, "throughput_flops");
      if (!one.is_usable() || time == nullptr || !time->value || rate == nullptr || !rate->value) continue;
      if (!(*time->value > 0) || !(*rate->value > 0)) continue;
      rates.push_back({one.record->requested, one.label, run.id, *rate->value * *time->value, *time->value});
    }
  }
  return rates;
}

std::optional<ScaledTime> scaled_time(const Json& requested, double flops, const std::vector<MeasuredRate>& measured) {
  if (!(flops > 0)) return std::nullopt;
  const MeasuredRate* from = nearest(requested, flops, measured, nullptr);
  if (from == nullptr) return std::nullopt;
  ScaledTime time;
  time.value_s = from->time_s * flops / from->flops;
  time.label = from->label;
  time.run_id = from->run_id;
  const std::vector<double> errors = log_errors(requested, measured);
  if (errors.size() >= kFewestErrors) {
    const double factor = std::exp(*std::max_element(errors.begin(), errors.end()));
    time.low_s = time.value_s / factor;
    time.high_s = time.value_s * factor;
  }
  return time;
}

}  // namespace transformeter
