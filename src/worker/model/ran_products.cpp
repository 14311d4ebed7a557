// A share is one of multiplications, of which a product has rows · inputs · outputs.
#include "model/ran_products.h"

#include <algorithm>

namespace transformeter {
namespace {

std::string largest(const std::map<std::string, double>& operations, const char* otherwise) {
  const auto found = std::max_element(operations.begin(), operations.end(),
                                      [](const auto& left, const auto& right) { return left.second < right.second; });
  return found == operations.end() ? otherwise : found->first;
}

}  // namespace

void RanProducts::add(const RanProduct& product) {
  const double operations =
      static_cast<double>(product.rows) * static_cast<double>(product.inputs) * static_cast<double>(product.outputs);
  const bool may_stay = std::min(product.inputs, product.outputs) < kSmallestInt8Side;
  kernels_[product.kernel] += operations;
  if (!product.precision.empty()) precisions_[product.precision] += operations;
  LinearType& type = types_[{product.input, product.weight, may_stay}];
  type.input = product.input;
  type.weight = product.weight;
  type.may_stay = may_stay;
  type.count += 1;
  type.flop_share += operations;
}

void RanProducts::tell(ModelReadback& readback) const {
  readback.linear_kernel = largest(kernels_, "none");
  readback.precision = largest(precisions_, "");
  readback.linear_types.clear();
  double all = 0;
  for (const auto& [key, type] : types_) all += type.flop_share;
  for (const auto& [key, type] : types_) {
    readback.linear_types.push_back(type);
    if (all > 0) readback.linear_types.back().flop_share /= all;
  }
  std::stable_sort(readback.linear_types.begin(), readback.linear_types.end(),
                   [](const LinearType& left, const LinearType& right) { return left.flop_share > right.flop_share; });
}

}  // namespace transformeter
