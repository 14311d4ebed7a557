// Takes timed samples of batches and keeps them as the series `latency`. What lies inside the window is the work alone.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/unit_sampler.h"

namespace transformeter {

/// What one unit of work processes.
struct WorkSize {
  std::int64_t examples = 0;
  std::int64_t useful_tokens = 0;
  std::int64_t processed_tokens = 0;
};

/// Of several units as one.
WorkSize total_of(const std::vector<WorkSize>& sizes);

class Sampler final : public UnitSampler {
 public:
  /// `work(i)` runs unit i to its end, i in [0, sizes.size()). The clock must outlive the sampler.
  Sampler(const Clock& clock, std::function<void(std::size_t)> work, std::vector<WorkSize> sizes);

  void set_origin(Clock::TimePoint origin) override { origin_ = origin; }
  std::size_t unit_count() const override { return sizes_.size(); }
  std::size_t shape_count() const override { return sizes_.size(); }

 protected:
  double do_take(std::size_t index, std::uint32_t flags) override;
  std::vector<Series> do_drain() override;

 private:
  const Clock& clock_;
  std::function<void(std::size_t)> work_;
  std::vector<WorkSize> sizes_;
  Clock::TimePoint origin_;
  Series block_;
};

}  // namespace transformeter
