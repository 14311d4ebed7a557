// One reading of CPU time serves as the end of a unit and the beginning of the next: the bookkeeping between them is
// small, and a second reading would double the cost.
#include "measure/unit_sampler.h"

#include <chrono>
#include <utility>

namespace transformeter {

double UnitSampler::take(std::size_t index, std::uint32_t flags) {
  if (cpu_clock_ == nullptr) return do_take(index, flags);
  if (!cpu_time_so_far_) cpu_time_so_far_ = cpu_clock_->process_cpu_time();
  const double seconds = do_take(index, flags);
  const std::chrono::nanoseconds before = *std::exchange(cpu_time_so_far_, cpu_clock_->process_cpu_time());
  cpu_times_s_.push_back(std::chrono::duration<double>(*cpu_time_so_far_ - before).count());
  return seconds;
}

std::vector<Series> UnitSampler::drain() {
  std::vector<Series> series = do_drain();
  if (cpu_clock_ != nullptr) series.push_back(value_series("sample_cpu_time", std::exchange(cpu_times_s_, {})));
  cpu_time_so_far_.reset();
  return series;
}

}  // namespace transformeter
