// The interface between the worker and a device's plug-in library, and the mark of every plug-in. Both are built from
// the same sources with the same compiler and LibTorch: the mark says with which, and is read before anything of it
// runs.
#pragma once

#include <memory>

#include "device/device.h"

namespace transformeter {

class DevicePlugin {
 public:
  virtual ~DevicePlugin() = default;
  /// GPU `ordinal` as its runtime counts them. Throws Error(kEnvironment) where it does not answer.
  virtual std::unique_ptr<Device> make(int ordinal) = 0;
};

/// The library's one function, by this name. Returns its plug-in, never null, which lives as long as the library is
/// loaded. A pointer: a function with C linkage does not return references to C++ classes.
using PluginEntry = DevicePlugin*();
constexpr const char* kPluginEntry = "transformeter_device_plugin";

/// Stands in the library's bytes, followed by LibTorch's version. A macro, to be joined with the version's literal.
#define TRANSFORMETER_PLUGIN_MARK "transformeter plug-in for LibTorch "

}  // namespace transformeter
