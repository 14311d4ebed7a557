// Which settings identify a case.
#pragma once

#include <string_view>

namespace transformeter {

/// Whether cases that differ in this setting do different work. False for price_per_hour, which changes only the
/// computed cost.
constexpr bool tells_cases_apart(std::string_view setting) {
  return setting != "price_per_hour";
}

}  // namespace transformeter
