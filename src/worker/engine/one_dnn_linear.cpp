// Operators are looked up once: a look-up takes a lock.
#include "engine/one_dnn_linear.h"

#include <ATen/core/List.h>

#include <string_view>

#include "engine/dispatched_operator.h"

namespace transformeter {
namespace {

constexpr const char* kLinear = "mkldnn::_linear_pointwise";

}  // namespace

at::Tensor one_dnn_linear(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                          const OneDnnActivation& activation) {
  using Signature = at::Tensor(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                               std::string_view operation, c10::List<std::optional<at::Scalar>> scalars,
                               std::optional<std::string_view> algorithm);
  static const auto kOperator = dispatched_operator<Signature>(kLinear);
  return kOperator.call(input, weight, bias, activation.name, c10::List<std::optional<at::Scalar>>(),
                        activation.algorithm);
}

at::Tensor one_dnn_linear_added(const at::Tensor& input, const at::Tensor& residual, const at::Tensor& weight,
                                const std::optional<at::Tensor>& bias) {
  using Signature = at::Tensor(const at::Tensor& input, const at::Tensor& other, const at::Tensor& weight,
                               const std::optional<at::Tensor>& bias, std::string_view operation);
  static const auto kOperator = dispatched_operator<Signature>(kLinear, "binary");
  return kOperator.call(input, residual, weight, bias, "add");
}

at::Tensor one_dnn_packed(const at::Tensor& weight, std::optional<std::int64_t> rows) {
  using Signature = at::Tensor(const at::Tensor& weight, std::optional<std::int64_t> rows);
  static const auto kOperator = dispatched_operator<Signature>("mkldnn::_reorder_linear_weight");
  return kOperator.call(weight, rows);
}

}  // namespace transformeter
