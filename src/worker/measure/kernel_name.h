// Names of GPU kernels as a reader wants them.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// Of a demangled function, with its template arguments and without its return type, parameters, and what most of
/// LibTorch's have in common; what is not a function ("Memcpy DtoH (Device -> Pageable)") stays as it is.
std::string kernel_name(std::string_view demangled);

}  // namespace transformeter
