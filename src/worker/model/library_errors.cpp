// Recognized by wording: these libraries have no error types for it.
#include "model/library_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace transformeter {

bool tells_of_memory(std::string_view words) {
  constexpr std::string_view kPhrases[] = {"Failed to allocate", "bad_alloc", "can't alloc", "Cannot allocate memory",
                                           "Resource temporarily unavailable"};
  return std::any_of(std::begin(kPhrases), std::end(kPhrases),
                     [&](std::string_view phrase) { return words.find(phrase) != std::string_view::npos; });
}

Error other_shape(const std::string& name, const std::string& takes, const at::Tensor& value) {
  return {ErrorKind::kUnsupportedShape, fmt::format("input '{}' has the shape {} in the file, and [{}] here", name,
                                                    takes, fmt::join(value.sizes(), ","))};
}

}  // namespace transformeter
