// Which settings make a case what it is.
#pragma once

#include <string_view>

namespace transformeter {

/// Whether cases that differ in the setting differ in what they do. False for price_per_hour: the machine costs what it
/// costs, whatever it is asked.
constexpr bool tells_cases_apart(std::string_view setting) {
  return setting != "price_per_hour";
}

}  // namespace transformeter
