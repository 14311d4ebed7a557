// What the engines of this worker can do on this machine's devices, and what the named ones choose.
#pragma once

#include "terms/capabilities.h"

namespace transformeter {

Capabilities inference_capabilities();

}  // namespace transformeter
