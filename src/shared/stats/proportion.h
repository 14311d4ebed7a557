// A proportion, such as an error rate or an accuracy, with Wilson's interval.
#pragma once

#include <cstddef>
#include <optional>

#include "stats/estimate.h"

namespace transformeter {

/// successes / n with Wilson's score interval (1927), which stays inside [0, 1] and has a width at 0 and n successes.
/// Nothing for n = 0 or successes > n.
std::optional<Estimate> estimate_proportion(std::size_t successes, std::size_t n);

}  // namespace transformeter
