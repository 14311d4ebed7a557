// Timers are read after the device has been waited for, so that reading them waits for nothing.
#include "measure/device_sampler.h"

#include <utility>

#include "base/stopwatch.h"

namespace transformeter {
namespace {

void add_value(Series& block, double value, double start_s, std::int64_t index, std::uint32_t flags) {
  block.value.push_back(value);
  block.start_s.push_back(start_s);
  block.index.push_back(index);
  block.flags.push_back(flags);
}

Series emptied(Series& block) {
  return std::exchange(block, value_series(block.name, {}));
}

}  // namespace

DeviceSampler::Phase::Phase(Device& device, std::function<void(std::size_t)> work, const char* series)
    : work_(std::move(work)), timer_(work_ ? device.make_timer() : nullptr), block_(value_series(series, {})) {}

bool DeviceSampler::Phase::begin() {
  if (timer_) timer_->start();
  begun_ = timer_ != nullptr;
  return begun_;
}

void DeviceSampler::Phase::launch(std::size_t index) {
  if (!timer_) return;
  if (!std::exchange(begun_, false)) timer_->start();
  work_(index);
  timer_->stop();
}

void DeviceSampler::Phase::record(std::int64_t index, double start_s, std::uint32_t flags) {
  if (timer_) add_value(block_, timer_->elapsed_s(), start_s, index, flags);
}

void DeviceSampler::Phase::drain_into(std::vector<Series>& series) {
  if (timer_) series.push_back(emptied(block_));
}

DeviceSampler::DeviceSampler(const Clock& clock, Device& device, DeviceWork work, std::vector<WorkSize> sizes)
    : clock_(clock),
      device_(device),
      sizes_(std::move(sizes)),
      origin_(clock.now()),
      upload_(device, std::move(work.upload), "host_to_device"),
      forward_(device, std::move(work.forward), "device_time"),
      download_(device, std::move(work.download), "device_to_host"),
      latency_(value_series("latency", {})),
      launch_(value_series("launch_time", {})) {}

double DeviceSampler::do_take(std::size_t index, std::uint32_t flags) {
  // An idle device passes this point at once, so that it costs the sample nothing.
  if (!upload_.begin()) forward_.begin();
  const Clock::TimePoint begin = clock_.now();
  upload_.launch(index);
  const Clock::TimePoint uploaded = clock_.now();
  forward_.launch(index);
  const Clock::TimePoint launched = clock_.now();
  download_.launch(index);
  device_.synchronize();
  const Clock::TimePoint end = clock_.now();

  const double seconds = seconds_between(begin, end);
  const double start_s = seconds_between(origin_, begin);
  const auto unit = static_cast<std::int64_t>(index);
  add_value(latency_, seconds, start_s, unit, flags);
  latency_.examples.push_back(sizes_[index].examples);
  latency_.useful_tokens.push_back(sizes_[index].useful_tokens);
  latency_.processed_tokens.push_back(sizes_[index].processed_tokens);
  add_value(launch_, seconds_between(uploaded, launched), start_s, unit, flags);
  for (Phase* phase : {&upload_, &forward_, &download_}) phase->record(unit, start_s, flags);
  return seconds;
}

std::vector<Series> DeviceSampler::do_drain() {
  std::vector<Series> series{emptied(latency_), emptied(launch_)};
  for (Phase* phase : {&upload_, &forward_, &download_}) phase->drain_into(series);
  return series;
}

}  // namespace transformeter
