// A cycle that takes long is a sample by itself; short ones are repeated, so that what a sample costs beside its work
// does not count.
#include "measure/back_to_back.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

namespace transformeter {
namespace {

constexpr double kSampleS = 0.1;
constexpr double kMaxCycles = 10'000;

class Cycles {
 public:
  Cycles(Device& device, const std::function<void(std::size_t)>& launch, std::size_t units)
      : device_(device), launch_(launch), units_(units), timer_(device.make_timer()) {}

  double seconds_of(std::int64_t cycles) {
    timer_->start();
    for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
      for (std::size_t unit = 0; unit < units_; ++unit) launch_(unit);
    }
    timer_->stop();
    device_.synchronize();
    return timer_->elapsed_s();
  }

 private:
  Device& device_;
  const std::function<void(std::size_t)>& launch_;
  std::size_t units_;
  std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace

void measure_back_to_back(const Clock& clock, Device& device, const std::function<void(std::size_t)>& launch,
                          const std::vector<WorkSize>& sizes, const StoppingOptions& stopping, const BlockSink& sink) {
  const Clock::TimePoint begin = clock.now();
  const auto since_begin = [&] { return std::chrono::duration<double>(clock.now() - begin).count(); };
  Cycles cycles(device, launch, sizes.size());
  // By whichever clock saw more: a host that hands over slowly is what a run waits for.
  const double one_s = std::max({cycles.seconds_of(1), since_begin(), 1e-9});
  const auto count = static_cast<std::int64_t>(std::clamp(std::ceil(kSampleS / one_s), 1.0, kMaxCycles));
  const WorkSize total = total_of(sizes);
  StoppingRule rule(stopping, 1);
  for (StopDecision decision = StopDecision::kContinue; decision == StopDecision::kContinue;) {
    Series sample = value_series("back_to_back", {});
    sample.start_s.push_back(since_begin());
    sample.value.push_back(cycles.seconds_of(count));
    sample.examples.push_back(count * total.examples);
    sample.useful_tokens.push_back(count * total.useful_tokens);
    sample.processed_tokens.push_back(count * total.processed_tokens);
    decision = rule.add(sample.value.front(), since_begin(), 0);
    sink({sample});
  }
}

}  // namespace transformeter
