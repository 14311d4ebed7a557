// Settings of the whole process: set before a model is loaded, and read back with its limits, for every verb.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "schema/capabilities.h"
#include "schema/case.h"

namespace transformeter {

/// What LibTorch may do from now on: TF32 on a GPU, oneDNN's kernels, only kernels that give the same bits each time
/// (one without such a kernel throws).
void set_runtime(const Case& request);

/// Engine, fusion, threads, instruction set and the limit of memory; precision_native is whether the processor has
/// instructions for `products`, a precision.
Json runtime_settings(const Case& request, const std::string& products);

/// What set_runtime cannot do for.
std::vector<Conflict> runtime_conflicts();

}  // namespace transformeter
