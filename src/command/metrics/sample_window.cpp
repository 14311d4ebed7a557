// Picks samples and adds them up to units.
#include "metrics/sample_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "stats/dependence.h"
#include "stats/steady_state.h"
#include "stats/stopping_rule.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace transformeter {
namespace {

bool is_measured(const Series& latency, std::size_t i) {
  return latency.flags.size() != latency.value.size() || (latency.flags[i] & kSampleWarmup) == 0;
}

std::int64_t index_of(const Series& latency, std::size_t i) {
  return latency.index.size() == latency.value.size() ? latency.index[i] : 0;
}

// Consecutive groups of `size` places in the series.
using Places = std::vector<std::size_t>;

std::vector<double> totals(const std::vector<double>& column, const Places& places, std::size_t size) {
  std::vector<double> sums(places.size() / size);
  for (std::size_t i = 0; i < places.size(); ++i) sums[i / size] += column[places[i]];
  return sums;
}

std::vector<double> totals(const std::vector<std::int64_t>& column, std::size_t length, const Places& places,
                           std::size_t size) {
  if (column.size() != length) return {};
  return totals(std::vector<double>(column.begin(), column.end()), places, size);
}

void fill(SampleWindow& window, const Series& latency, const Places& places) {
  const std::size_t size = window.batches_per_cycle;
  const std::size_t length = latency.value.size();
  window.samples = totals(latency.value, places, 1);
  window.places = places;
  window.seconds = totals(latency.value, places, size);
  window.examples = totals(latency.examples, length, places, size);
  window.useful_tokens = totals(latency.useful_tokens, length, places, size);
  window.processed_tokens = totals(latency.processed_tokens, length, places, size);
}

void choose_steady(SampleWindow& window, const Series& latency, Places places, bool warmup_is_fixed) {
  const std::vector<double> measured = totals(latency.value, places, 1);
  SteadyState state;
  if (warmup_is_fixed) {
    state.from = 0;
    state.drift = measured.size() >= kMinSamplesForCorrelation && drifts(measured);
    state.autocorrelation_untested = measured.size() < kMinSamplesForCorrelation;
    state.effective_n = effective_n_of_mean(measured);
    if (state.drift) {
      state.from.reset();
      state.note = "no steady state: samples drift after the fixed warm-up";
    }
  } else {
    state = find_steady_state(measured);
  }
  window.drift = state.drift;
  window.autocorrelation_untested = state.autocorrelation_untested;
  window.effective_n = state.effective_n;
  if (state.from) {
    window.from = places[*state.from];
    places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(*state.from));
  } else {
    window.problem = state.note;
  }
  fill(window, latency, places);
}

// Places of the samples of complete cycles: batches 0 to K − 1 in order, with nothing missing between.
Places complete_cycles(const Series& latency, const Places& measured, std::size_t batches) {
  Places places;
  std::size_t expected = 0;
  for (const std::size_t place : measured) {
    const auto index = static_cast<std::size_t>(index_of(latency, place));
    if (index != expected) {
      places.resize(places.size() - expected);
      expected = 0;
      if (index != 0) continue;
    }
    places.push_back(place);
    expected = (expected + 1) % batches;
  }
  places.resize(places.size() - expected);
  return places;
}

// Inputs differ by design, so each sample is taken relative to the median of its own input. The first cycle, which also
// pays for what each shape does once, is not judged.
bool inputs_drift(const std::vector<double>& samples, std::size_t batches) {
  const std::size_t cycles = samples.size() / batches;
  constexpr std::size_t kFewestJudged = 3;
  if (cycles < 1 + kFewestJudged) return false;
  std::vector<double> relative(samples.begin() + static_cast<std::ptrdiff_t>(batches), samples.end());
  for (std::size_t index = 0; index < batches; ++index) {
    std::vector<double> of_input;
    for (std::size_t i = index; i < relative.size(); i += batches) of_input.push_back(relative[i]);
    const auto usual = median_of(of_input);
    if (!usual || !(*usual > 0)) return false;
    for (std::size_t i = index; i < relative.size(); i += batches) relative[i] /= *usual;
  }
  return relative.size() >= kMinSamplesForCorrelation && drifts(relative);
}

void choose_cycles(SampleWindow& window, const Series& latency, const Places& measured) {
  const Places places = complete_cycles(latency, measured, window.batches_per_cycle);
  fill(window, latency, places);
  const std::size_t cycles = window.seconds.size();
  if (cycles == 0) {
    window.problem = fmt::format("not one full cycle of {} batches was measured", window.batches_per_cycle);
    return;
  }
  window.autocorrelation_untested = cycles < kMinSamplesForCorrelation;
  window.effective_n = effective_n_of_mean(window.seconds);
  window.drift = inputs_drift(window.samples, window.batches_per_cycle);
  if (window.drift) {
    window.problem = "no steady state: times of the same inputs drift from cycle to cycle";
  } else if (cycles < kFewestCycles) {
    window.problem = fmt::format("{}; an interval needs {}", counted(cycles, "full cycle"), kFewestCycles);
  } else {
    window.from = places.front();
  }
}

}  // namespace

SampleWindow sample_window(const Series* latency, const SampleWindowOptions& options) {
  SampleWindow window;
  window.batches_per_cycle = std::max<std::size_t>(options.batches_per_cycle, 1);
  Places measured;
  for (std::size_t i = 0; latency != nullptr && i < latency->value.size(); ++i) {
    if (is_measured(*latency, i)) measured.push_back(i);
  }
  if (measured.empty()) {
    window.problem = "no samples";
  } else if (!all_finite(totals(latency->value, measured, 1))) {
    window.problem = "a sample is not finite";
  } else if (window.has_cycles()) {
    choose_cycles(window, *latency, measured);
  } else {
    choose_steady(window, *latency, std::move(measured), options.warmup_is_fixed);
  }
  return window;
}

std::size_t batches_in(const Series& latency) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < latency.value.size(); ++i) {
    if (is_measured(latency, i)) largest = std::max(largest, index_of(latency, i));
  }
  return static_cast<std::size_t>(largest) + 1;
}

}  // namespace transformeter
