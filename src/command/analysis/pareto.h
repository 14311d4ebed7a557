// The cases between which only taste decides: no other is at least as good in all and better in one.
#pragma once

#include <vector>

namespace transformeter {

/// For each point whether it is on the front. The coordinates of all points are as many; lower is better. Equal points
/// do not beat each other.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& points);

}  // namespace transformeter
