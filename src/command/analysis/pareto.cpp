// Every point against every other: there are tens of cases, not thousands.
#include "analysis/pareto.h"

#include <algorithm>
#include <cstddef>

namespace transformeter {
namespace {

bool dominates(const std::vector<double>& one, const std::vector<double>& other) {
  bool is_better = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] > other[i]) return false;
    is_better = is_better || one[i] < other[i];
  }
  return is_better;
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& points) {
  std::vector<bool> is_on_front;
  for (const std::vector<double>& point : points) {
    is_on_front.push_back(std::none_of(points.begin(), points.end(),
                                       [&](const std::vector<double>& other) { return dominates(other, point); }));
  }
  return is_on_front;
}

}  // namespace transformeter
