// Two clock readings around the work; the bookkeeping comes after the second.
#include "measure/sampler.h"

#include <utility>

namespace transformeter {

WorkSize total_of(const std::vector<WorkSize>& sizes) {
  WorkSize total;
  for (const WorkSize& size : sizes) {
    total.examples += size.examples;
    total.useful_tokens += size.useful_tokens;
    total.processed_tokens += size.processed_tokens;
  }
  return total;
}

Sampler::Sampler(const Clock& clock, std::function<void(std::size_t)> work, std::vector<WorkSize> sizes)
    : clock_(clock),
      work_(std::move(work)),
      sizes_(std::move(sizes)),
      origin_(clock.now()),
      block_(value_series("latency", {})) {}

double Sampler::do_take(std::size_t index, std::uint32_t flags) {
  const Clock::TimePoint begin = clock_.now();
  work_(index);
  const Clock::TimePoint end = clock_.now();
  const double seconds = std::chrono::duration<double>(end - begin).count();
  const WorkSize& size = sizes_[index];
  block_.value.push_back(seconds);
  block_.start_s.push_back(std::chrono::duration<double>(begin - origin_).count());
  block_.index.push_back(static_cast<std::int64_t>(index));
  block_.examples.push_back(size.examples);
  block_.useful_tokens.push_back(size.useful_tokens);
  block_.processed_tokens.push_back(size.processed_tokens);
  block_.flags.push_back(flags);
  return seconds;
}

std::vector<Series> Sampler::do_drain() {
  return {std::exchange(block_, value_series("latency", {}))};
}

}  // namespace transformeter
