// A GPU behind the device interface, on LibTorch's CUDA side.
#pragma once

#include <memory>

#include "device/device.h"

namespace transformeter {

/// GPU `ordinal` as CUDA counts them. Throws Error(kEnvironment) where CUDA does not answer.
std::unique_ptr<Device> make_cuda_device(int ordinal);

}  // namespace transformeter
