// What other libraries' errors mean, and what is said of a graph that does not fit.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace transformeter {

/// Whether the words of a library's error say that memory, or threads, ran out.
bool tells_of_memory(std::string_view words);

/// kUnsupportedShape: input `name` of a file has the shape `takes` and is given `value`.
Error other_shape(const std::string& name, const std::string& takes, const at::Tensor& value);

}  // namespace transformeter
