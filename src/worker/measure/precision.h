// The precision that ran, by the setting's words.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

#include "device/device.h"

namespace transformeter {

/// Of products whose weights lie in `weights` and whose results come in `products`: "bf16_autocast" where these differ,
/// "tf32" where the device's products of fp32 round so.
std::string precision_of(c10::ScalarType weights, c10::ScalarType products, const Device& device);

}  // namespace transformeter
