// Takes timed samples of batches on an asynchronous device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device/device.h"
#include "measure/sampler.h"
#include "measure/unit_sampler.h"

namespace transformeter {

/// What is handed to the device for unit i, in this order. An empty function is left out.
struct DeviceWork {
  std::function<void(std::size_t)> upload;    // inputs to the device
  std::function<void(std::size_t)> forward;   // the pass
  std::function<void(std::size_t)> download;  // outputs to the host
};

/// The device is waited for after each unit: what is timed is latency. Series, a value a unit each:
///   latency         by the host's clock, from the first piece handed over to the end of all work
///   launch_time     by the host's clock, for handing over the pass
///   device_time     by the device's clock, from the beginning of the pass to its end
///   host_to_device  by the device's clock; only with `upload`
///   device_to_host  by the device's clock; only with `download`
class DeviceSampler final : public UnitSampler {
 public:
  /// The device must have timers; it and the clock must outlive the sampler.
  DeviceSampler(const Clock& clock, Device& device, DeviceWork work, std::vector<WorkSize> sizes);

  void set_origin(Clock::TimePoint origin) override { origin_ = origin; }
  std::size_t unit_count() const override { return sizes_.size(); }
  std::size_t shape_count() const override { return sizes_.size(); }

 protected:
  double do_take(std::size_t index, std::uint32_t flags) override;
  std::vector<Series> do_drain() override;

 private:
  // A piece of a unit's work between two points of the device's order.
  class Phase {
   public:
    Phase(Device& device, std::function<void(std::size_t)> work, const char* series);
    /// Marks its beginning ahead of launch(). Returns false where there is no work.
    bool begin();
    void launch(std::size_t index);
    void record(std::int64_t index, double start_s, std::uint32_t flags);
    void drain_into(std::vector<Series>& series);

   private:
    std::function<void(std::size_t)> work_;
    std::unique_ptr<DeviceTimer> timer_;  // null: no work
    bool begun_ = false;
    Series block_;
  };

  const Clock& clock_;
  Device& device_;
  std::vector<WorkSize> sizes_;
  Clock::TimePoint origin_;
  Phase upload_, forward_, download_;
  Series latency_, launch_;
};

}  // namespace transformeter
