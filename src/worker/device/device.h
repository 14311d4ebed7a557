// A device that runs models: the interface to what differs between a CPU and an accelerator.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace transformeter {

/// Two points in the order of the work that is handed to a device.
class DeviceTimer {
 public:
  virtual ~DeviceTimer() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Seconds from one to the other by the device's own clock; waits for the second.
  virtual double elapsed_s() = 0;
};

/// Work that was recorded once and runs again whole, on the same memory.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;
  /// Hands it to the device.
  virtual void replay() = 0;
};

/// Every function is pure or inline: a plug-in library links nothing of this layer.
class Device {
 public:
  virtual ~Device() = default;
  /// As in the `device` setting: "cpu", "cuda:0".
  virtual std::string name() const = 0;
  virtual c10::Device torch_device() const = 0;
  /// Where a tensor of this device's work lies, as in the setting.
  virtual std::string place_of(const at::Tensor& tensor) const { return tensor.device().str(); }
  /// What it is and what drives it; {} where the environment says it all.
  virtual Json facts() const { return Json::object(); }
  /// Returns when all work handed to the device is done.
  virtual void synchronize() = 0;
  /// Forgets the peaks so far; the current levels become the new ones.
  virtual void reset_peak_allocated() = 0;
  /// Largest sum of live tensor bytes since the last reset.
  virtual std::int64_t peak_allocated_bytes() const = 0;
  /// Largest sum of bytes that LibTorch's allocator took from the device; nothing where it keeps none.
  virtual std::optional<std::int64_t> peak_reserved_bytes() const { return std::nullopt; }
  /// An empty tensor like that one in host memory that the device reads and writes by itself: page-locked where there
  /// is a difference.
  virtual at::Tensor host_memory(const at::Tensor& like) = 0;
  /// Null where calls return when their work is done, so that the host's clock suffices.
  virtual std::unique_ptr<DeviceTimer> make_timer() { return nullptr; }
  /// What `work` hands to the device, recorded and not run. Recordings share memory: what one's
  /// replay gave is good until another's. Throws Error(kUnsupported) where the device records none, or this work
  /// cannot be recorded.
  virtual std::unique_ptr<RecordedWork> record(const std::function<void()>& /*work*/) {
    throw Error(ErrorKind::kUnsupported, "device " + name() + " records no work to replay");
  }
};

/// The device of that name, one of devices_here(). Throws Error(kUnsupported) when it is not there, and says why.
std::unique_ptr<Device> make_device(const std::string& name);

}  // namespace transformeter
