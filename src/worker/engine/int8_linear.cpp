// Products in int8: weights with one scale a channel, activations with one a token or none.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/_weight_int8pack_mm.h>
#include <ATen/ops/linear.h>
#include <ATen/record_function.h>

#include <optional>
#include <utility>
#include <vector>

#include "engine/linear_factories.h"
#include "engine/one_dnn_int8.h"
#include "engine/row_quantizer.h"
#include "model/int8_channels.h"
#include "schema/linear_types.h"

namespace transformeter {
namespace {

at::Tensor bias_of(const LinearWeights& weights) {
  return weights.bias.defined() ? weights.bias.to(at::kFloat) : at::Tensor();
}

at::Tensor as_rows(const at::Tensor& input) {
  return input.reshape({-1, input.size(-1)}).contiguous();
}

// [N, out] to the shape of `like` with its last size replaced.
at::Tensor as_shape_of(const at::Tensor& rows, const at::Tensor& like) {
  std::vector<std::int64_t> shape = like.sizes().vec();
  shape.back() = rows.size(-1);
  return rows.view(shape);
}

class DynamicInt8Linear final : public LinearKernel {
 public:
  DynamicInt8Linear(const LinearWeights& weights, const LinearOptions& options)
      : weights_(quantize_channels(weights.weight, largest_int8_weight())),
        bias_(bias_of(weights)),
        own_bytes_(static_cast<std::int64_t>(weights_.values.nbytes() + weights_.scales.nbytes())),
        fused_(options.fused) {
    if (!options.prepacked) return;
    packed_.emplace(weights_);
    weights_ = {};
  }

  at::Tensor forward(const at::Tensor& input) const override { return product(input, {}); }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    return fused_ ? product(input, residual) : LinearKernel::added(input, residual);
  }
  LinearOperand activated_for(const LinearKernel& next, const at::Tensor& input, Activation activation) const override {
    const RowActivation of_row = row_activation(activation);
    const auto* const into = dynamic_cast<const DynamicInt8Linear*>(&next);
    if (into == nullptr || of_row == nullptr || !fused_) {
      return LinearKernel::activated_for(next, input, activation);
    }
    const QuantizedRows rows = quantize_rows(as_rows(input), row_bytes());
    QuantizedRows made =
        requantize_rows(sums(rows), rows.scales, {weights_.scales, bias_, {}}, of_row, into->row_bytes());
    return {std::move(made.values), std::move(made.scales)};
  }
  at::Tensor added_to(const LinearOperand& operand, const at::Tensor& residual) const override {
    if (!operand.scales.defined()) return added(operand.values, residual);
    return as_shape_of(finished({operand.values, operand.scales}, residual, residual.scalar_type()), residual);
  }
  std::int64_t own_bytes() const override { return own_bytes_; }
  LinearForm form() const override { return {"int8", packed_.has_value()}; }

 private:
  at::Tensor product(const at::Tensor& input, const at::Tensor& residual) const {
    return as_shape_of(finished(quantize_rows(as_rows(input), row_bytes()), residual, input.scalar_type()), input);
  }

  RowBytes row_bytes() const { return packed_ ? RowBytes::kOffset : RowBytes::kSigned; }

  at::Tensor sums(const QuantizedRows& rows) const {
    return packed_ ? packed_->multiply(rows.values) : at::_int_mm(rows.values, weights_.values.t());
  }

  // [N, out]. `residual` may be undefined.
  at::Tensor finished(const QuantizedRows& rows, const at::Tensor& residual, c10::ScalarType type) const {
    // Packed weights have their scales in the product; then weights_ is empty.
    const RowEpilogue epilogue{weights_.scales, bias_, residual.defined() ? as_rows(residual) : at::Tensor()};
    return dequantize_rows(sums(rows), rows.scales, epilogue, type);
  }

  Int8Channels weights_;  // undefined where they are packed
  std::optional<OneDnnInt8> packed_;
  at::Tensor bias_;
  std::int64_t own_bytes_;
  bool fused_;
};

class WeightOnlyInt8Linear final : public LinearKernel {
 public:
  explicit WeightOnlyInt8Linear(const LinearWeights& weights)
      : weights_(quantize_channels(weights.weight)), bias_(weights.bias) {
    weights_.scales = weights_.scales.to(at::kBFloat16);
  }

  at::Tensor forward(const at::Tensor& input) const override {
    const at::Tensor rows = as_rows(input);
    if (rows.size(0) > kFewInt8Rows || rows.size(1) % kInt8InputStep != 0) return widened(input);
    at::Tensor output = at::_weight_int8pack_mm(rows, weights_.values, weights_.scales);
    if (bias_.defined()) output.add_(bias_);
    return as_shape_of(output, input);
  }
  std::int64_t own_bytes() const override {
    return static_cast<std::int64_t>(weights_.values.nbytes() + weights_.scales.nbytes());
  }
  LinearForm form() const override { return {"int8_weight_only", false}; }

 private:
  at::Tensor widened(const at::Tensor& input) const {
    RECORD_FUNCTION("transformeter::widened_int8_linear", std::vector<c10::IValue>({input, weights_.values}));
    return at::linear(input, weights_.values.to(input.scalar_type()) * weights_.scales.unsqueeze(1), bias_);
  }

  Int8Channels weights_;
  at::Tensor bias_;
};

enum class Int8Form { kDynamic, kWeightOnly };

class Int8Linears final : public LinearFactory {
 public:
  Int8Linears(Int8Form form, const LinearOptions& options) : form_(form), options_(options) {
    LinearOptions others = options;
    others.precision = form == Int8Form::kDynamic ? "fp32" : "bf16";
    others.is_tried = false;
    others_ = make_linears(others);
  }

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    if (!is_worth_int8(weights)) return others_->make(weights);
    if (form_ == Int8Form::kDynamic) return std::make_shared<DynamicInt8Linear>(weights, options_);
    return std::make_shared<WeightOnlyInt8Linear>(weights);
  }
  bool joins_products() const override { return options_.fused; }
  bool allows_convolutions() const override { return false; }

 private:
  Int8Form form_;
  LinearOptions options_;
  std::shared_ptr<const LinearFactory> others_;
};

}  // namespace

std::shared_ptr<const LinearFactory> dynamic_int8_linears(const LinearOptions& options) {
  return std::make_shared<Int8Linears>(Int8Form::kDynamic, options);
}

std::shared_ptr<const LinearFactory> weight_only_int8_linears(const LinearOptions& options) {
  return std::make_shared<Int8Linears>(Int8Form::kWeightOnly, options);
}

}  // namespace transformeter
