// The measuring loop, and the same loop around nothing.
#include "scenario/batch_scenario.h"

#include <algorithm>

namespace transformeter {

std::string measure_batches(Sampler& sampler, const Clock& clock, const BatchScenarioOptions& options,
                            const BlockSink& sink) {
  StoppingRule rule(options.stopping, sampler.unit_count());
  const Clock::TimePoint begin = clock.now();
  Clock::TimePoint last_block = begin;
  StopDecision decision = StopDecision::kContinue;
  for (std::size_t unit = 0; decision == StopDecision::kContinue; unit = (unit + 1) % sampler.unit_count()) {
    const double seconds = sampler.take(unit);
    const Clock::TimePoint now = clock.now();
    decision = rule.add(seconds, std::chrono::duration<double>(now - begin).count(), unit);
    if (std::chrono::duration<double>(now - last_block).count() >= options.block_interval_s) {
      sink(sampler.drain());
      last_block = clock.now();
    }
  }
  const Series rest = sampler.drain();
  if (!rest.value.empty()) sink(rest);
  return std::string(name_of(decision));
}

double measure_harness_cost(const Clock& clock, const StoppingOptions& stopping) {
  constexpr std::size_t kSamples = 2000;
  StoppingOptions options = stopping;
  options.exact_count = kSamples;
  options.hard_limit = false;
  Sampler sampler(clock, [](std::size_t) {}, {WorkSize{}});
  const Clock::TimePoint begin = clock.now();
  measure_batches(sampler, clock, {options}, [](const Series&) {});
  return std::chrono::duration<double>(clock.now() - begin).count() / static_cast<double>(kSamples);
}

}  // namespace transformeter
