// How this very program was compiled, from the compiler's predefined macros.
#pragma once

#include <string>

#include "base/json.h"

namespace transformeter {

/// {id, version, cplusplus, optimized, assertions, features, sanitizers}. Command-line flags are not visible to macros;
/// these are their effects.
Json describe_compiler();

/// "x86_64", "aarch64", or "other".
std::string built_for_architecture();

}  // namespace transformeter
