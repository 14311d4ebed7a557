// The CPU as a device.
#pragma once

#include <memory>

#include "device/device.h"

namespace transformeter {

std::unique_ptr<Device> make_cpu_device();

}  // namespace transformeter
