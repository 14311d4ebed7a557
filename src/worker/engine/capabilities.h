// What this worker's engines support on this machine's devices, and what named engines choose for `auto`.
#pragma once

#include "schema/capabilities.h"

namespace transformeter {

Capabilities inference_capabilities();

}  // namespace transformeter
