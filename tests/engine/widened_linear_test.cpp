// Products of bf16 in fp32, against fp64 on the same rounded values.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>
#include <optional>

#include "engine/kernel_probe.h"
#include "engine/linear_factories.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

const double kHalfUnit = std::ldexp(1.0, -8);  // of bf16, of a value's size

at::Tensor rounded(const at::Tensor& values) {
  return values.detach().to(at::kBFloat16).to(at::kDouble);
}

at::Tensor leaf(const at::Tensor& values) {
  return values.detach().clone().requires_grad_();
}

double difference(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

struct Product {
  at::Tensor input, weight, bias, slope;

  explicit Product(c10::ScalarType type)
      : input(at::randn({3, 5, 32}).to(type).requires_grad_()),
        weight(at::randn({24, 32}).to(type).requires_grad_()),
        bias(at::randn({24}).to(type).requires_grad_()),
        slope(at::randn({3, 5, 24}).to(at::kBFloat16)) {}

  LinearWeights weights() const { return {weight, bias}; }
};

// Gradients of fp32 are not rounded.
void expect_rounded_product(const Product& product, const at::Tensor& output, double bound_of_gradients) {
  ASSERT_EQ(output.scalar_type(), at::kBFloat16);
  const at::Tensor input = leaf(rounded(product.input)), weight = leaf(rounded(product.weight)),
                   bias = leaf(rounded(product.bias));
  const at::Tensor expected = at::linear(input, weight, bias);
  EXPECT_LE(difference(output, expected), kHalfUnit);
  output.backward(product.slope);
  expected.backward(product.slope.to(at::kDouble));
  EXPECT_LE(difference(product.input.grad(), input.grad()), bound_of_gradients);
  EXPECT_LE(difference(product.weight.grad(), weight.grad()), bound_of_gradients);
  EXPECT_LE(difference(product.bias.grad(), bias.grad()), bound_of_gradients);
  EXPECT_EQ(product.weight.grad().scalar_type(), product.weight.scalar_type());
}

TEST(WidenedLinear, ComputesAutocastsProductsFromRoundedValues) {
  const Product product(at::kFloat);
  const auto kernel = widened_linears()->make(product.weights());
  at::Tensor output;
  {
    const Autocast autocast(c10::DeviceType::CPU, at::kBFloat16);
    output = kernel->forward(product.input);
    EXPECT_EQ(autocast_type(c10::DeviceType::CPU), at::kBFloat16);
  }
  expect_rounded_product(product, output, 1e-6);
}

TEST(WidenedLinear, ComputesProductsOfWeightsInBf16) {
  const Product product(at::kBFloat16);
  expect_rounded_product(product, widened_linears()->make(product.weights())->forward(product.input), kHalfUnit);
}

TEST(WidenedLinear, NeedsNoBias) {
  const Product product(at::kBFloat16);
  const at::Tensor output = widened_linears()->make({product.weight, {}})->forward(product.input);
  EXPECT_LE(difference(output, at::linear(rounded(product.input), rounded(product.weight))), kHalfUnit);
  output.backward(product.slope);
  EXPECT_TRUE(product.weight.grad().defined());
}

TEST(WidenedLinear, LeavesFp32AsItIs) {
  const Product product(at::kFloat);
  const at::Tensor output = widened_linears()->make(product.weights())->forward(product.input);
  EXPECT_TRUE(output.equal(at::linear(product.input, product.weight, product.bias)));
}

TEST(WidenedLinear, ComputesNoGradientThatNobodyWants) {
  Product product(at::kBFloat16);
  product.input = product.input.detach();
  product.bias = product.bias.detach();
  widened_linears()->make(product.weights())->forward(product.input).backward(product.slope);
  EXPECT_TRUE(product.weight.grad().defined());
  EXPECT_FALSE(product.input.grad().defined());
}

TEST(WidenedLinear, IsReadBackAsSuch) {
  const Product product(at::kBFloat16);
  const auto kernel = widened_linears()->make(product.weights());
  const KernelProbe probe;
  kernel->forward(product.input);
  EXPECT_EQ(probe.linear_kernel(), "widened");
}

}  // namespace
}  // namespace transformeter
