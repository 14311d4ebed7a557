// Reads back runtime settings and limits, for every verb.
#pragma once

#include <string>

#include "base/json.h"
#include "measure/worker_case.h"

namespace transformeter {

/// Engine, fusion, threads, instruction set and the limit of memory; precision_native is whether the processor has
/// instructions for `products`, a precision.
Json runtime_settings(const Case& request, const std::string& products);

}  // namespace transformeter
