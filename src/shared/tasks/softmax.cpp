// One template for both kinds of numbers.
#include "tasks/softmax.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

template <typename T>
std::vector<double> softmax_of(std::span<const T> scores) {
  if (scores.empty()) return {};
  const double largest = *std::max_element(scores.begin(), scores.end());
  std::vector<double> shares;
  double sum = 0;
  for (const T score : scores) {
    shares.push_back(std::exp(static_cast<double>(score) - largest));
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

std::vector<double> softmax(std::span<const float> scores) {
  return softmax_of(scores);
}

std::vector<double> softmax(std::span<const double> scores) {
  return softmax_of(scores);
}

}  // namespace transformeter
