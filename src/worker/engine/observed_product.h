// Recognizes products with weights among the operators that LibTorch's dispatcher reports.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>

namespace transformeter {

/// A product of activations with a weight: a linear operator or a convolution. Products of two activations, as in
/// attention, have a batch dimension on both sides and are none.
struct ObservedProduct {
  std::string input, weight;  // formats, see schema/linear_types.h
  std::int64_t inputs = 0;    // summed up for each output
  std::int64_t outputs = 0;   // for each token; 0: the operator hides its weight
  double flops = 0;           // 0: only its output tells
  bool is_packed = false;     // the weight, for oneDNN
};

/// Nothing for an operator that is no such product. `arguments`: of the call.
std::optional<ObservedProduct> product_of(const std::string& name, c10::ArrayRef<const c10::IValue> arguments);

/// Whether the operators inside it only serve to compute it, in whatever format.
bool hides_products(const std::string& name);

/// What `output` tells of a product whose arguments did not.
double flops_of_output(const ObservedProduct& product, const at::Tensor& output);

}  // namespace transformeter
