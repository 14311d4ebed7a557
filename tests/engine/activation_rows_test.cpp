// Activations of a row against LibTorch's in fp64.
#include "engine/activation_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/relu.h>

namespace transformeter {
namespace {

TEST(ActivationRows, GeluErrsByAFewUnitsInTheLastPlace) {
  at::Tensor values = at::linspace(-20, 20, 100003);
  const at::Tensor wide = values.to(at::kDouble);
  row_activation(Activation::kGelu)(values.data_ptr<float>(), values.numel());
  const at::Tensor errors = (values.to(at::kDouble) - at::gelu(wide)).abs();
  EXPECT_LE((errors - 5e-7 * wide.abs()).max().item<double>(), 1e-12);
}

TEST(ActivationRows, ReluIsLibTorchs) {
  at::Tensor values = at::linspace(-3, 3, 1001);
  const at::Tensor expected = at::relu(values);
  row_activation(Activation::kRelu)(values.data_ptr<float>(), values.numel());
  EXPECT_TRUE(values.equal(expected));
}

TEST(ActivationRows, NaNStaysNaN) {
  for (const Activation activation : {Activation::kGelu, Activation::kRelu}) {
    float values[] = {std::numeric_limits<float>::quiet_NaN(), 1};
    row_activation(activation)(values, 2);
    EXPECT_TRUE(std::isnan(values[0]));
    EXPECT_GT(values[1], 0.8F);
  }
}

TEST(ActivationRows, OthersHaveNone) {
  EXPECT_EQ(row_activation(Activation::kMish), nullptr);
}

}  // namespace
}  // namespace transformeter
