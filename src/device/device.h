// A place where models run: the little that differs between a CPU and an accelerator.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

class Device {
 public:
  virtual ~Device() = default;
  /// As in the `device` setting: "cpu".
  virtual std::string name() const = 0;
  virtual c10::Device torch_device() const = 0;
  /// Returns when all work handed to the device is done.
  virtual void synchronize() = 0;
  /// Forgets the peak so far; the current level becomes the new peak.
  virtual void reset_peak_allocated() = 0;
  /// Largest sum of live tensor bytes since the last reset.
  virtual std::int64_t peak_allocated_bytes() const = 0;
};

/// The device of that name. Throws Error(kUnsupported) when it is not there.
std::unique_ptr<Device> make_device(const std::string& name);

/// Names make_device takes on this machine.
std::vector<std::string> device_names();

}  // namespace transformeter
