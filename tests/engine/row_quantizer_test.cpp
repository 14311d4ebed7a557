// Activations in int8 and back.
#include "engine/row_quantizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randint_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace transformeter {
namespace {

at::Tensor back(const QuantizedRows& rows) {
  return rows.values.to(at::kFloat) * rows.scales.unsqueeze(1);
}

TEST(RowQuantizer, AddsAnOffsetForProductsOfUnsignedBytes) {
  const at::Tensor input = at::randn({5, 33});
  const QuantizedRows rows = quantize_rows(input);
  const QuantizedRows offset = quantize_rows(input, RowBytes::kOffset);
  EXPECT_TRUE(offset.values.to(at::kInt).equal(rows.values.to(at::kInt) + kByteOffset));
  EXPECT_TRUE(offset.scales.equal(rows.scales));
  const at::Tensor sums = at::randint(-1000, 1000, {5, 33}, at::kInt);
  const RowEpilogue epilogue{at::rand({33}), {}, {}};
  const RowActivation none = [](float*, std::int64_t) {};
  const QuantizedRows again = requantize_rows(sums, rows.scales, epilogue, none);
  const QuantizedRows offset_again = requantize_rows(sums, rows.scales, epilogue, none, RowBytes::kOffset);
  EXPECT_TRUE(offset_again.values.to(at::kInt).equal(again.values.to(at::kInt) + kByteOffset));
}

TEST(RowQuantizer, ARowsLargestMagnitudeIs127) {
  const QuantizedRows rows = quantize_rows(at::tensor({1.0F, -2.0F, 0.5F, 0.0F, 0.0F, 0.0F}).view({2, 3}));
  EXPECT_FLOAT_EQ(rows.scales[0].item<float>(), 2.0F / 127);
  EXPECT_EQ(rows.values[0][1].item<int>(), -127);
  EXPECT_EQ(rows.values[0][0].item<int>(), 64);  // 63.5, ties to even
  EXPECT_EQ(rows.scales[1].item<float>(), 0);
  EXPECT_EQ(rows.values[1].abs().max().item<int>(), 0);
}

TEST(RowQuantizer, ALongRowOfSumsIsFinishedWhole) {
  // Longer than a thread takes at a time, and no multiple of that.
  const at::Tensor sums = at::randint_like(at::zeros({2, 70001}, at::kInt), -9000, 9000);
  const at::Tensor row_scales = at::tensor({0.5F, 0.001F});
  const at::Tensor plain = sums.to(at::kFloat) * row_scales.unsqueeze(1);
  for (const bool has_bias : {false, true}) {
    for (const bool has_residual : {false, true}) {
      RowEpilogue epilogue{at::rand({70001}), {}, {}};
      at::Tensor expected = plain * epilogue.weight_scales;
      if (has_bias) expected = expected + (epilogue.bias = at::randn({70001}));
      if (has_residual) expected = expected + (epilogue.residual = at::randn({2, 70001}));
      const at::Tensor actual = dequantize_rows(sums, row_scales, epilogue, at::kFloat);
      EXPECT_LE((actual - expected).abs().max().item<float>(), 1e-3F) << has_bias << has_residual;
    }
  }
}

// As after oneDNN's product, whose sums have the weights' scales already.
TEST(RowQuantizer, ALongRowOfScaledSumsIsFinishedInBf16) {
  const at::Tensor sums = at::randn({2, 70001});
  const at::Tensor row_scales = at::tensor({0.5F, 2.0F});
  RowEpilogue epilogue;
  epilogue.bias = at::randn({70001});
  epilogue.residual = at::randn({2, 70001}).to(at::kBFloat16);
  const at::Tensor expected = sums * row_scales.unsqueeze(1) + epilogue.bias + epilogue.residual.to(at::kFloat);
  const at::Tensor actual = dequantize_rows(sums, row_scales, epilogue, at::kBFloat16);
  EXPECT_EQ(actual.scalar_type(), at::kBFloat16);
  EXPECT_LE((actual.to(at::kFloat) - expected).abs().max().item<float>(), 0.04F);
}

TEST(RowQuantizer, ARowOfNumbersTooSmallToScaleIsZeros) {
  const QuantizedRows rows = quantize_rows(at::full({1, 40}, 1e-38F));
  EXPECT_EQ(rows.values.abs().max().item<int>(), 0);
  EXPECT_TRUE(std::isfinite(rows.scales[0].item<float>()));
}

TEST(RowQuantizer, AnElementErrsByHalfItsRowsScaleAtMost) {
  // 37 columns: no multiple of a register's width.
  const at::Tensor input = at::randn({19, 37}) * at::linspace(0.01, 100, 19).unsqueeze(1);
  const QuantizedRows rows = quantize_rows(input);
  const at::Tensor error = (back(rows) - input).abs();
  EXPECT_TRUE((error <= rows.scales.unsqueeze(1) * 0.5001).all().item<bool>());
}

TEST(RowQuantizer, WhatIsNotFiniteDoesNotBecomeANumber) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::int64_t column : {3, 36}) {  // in a register's width, and after the last whole one
      at::Tensor input = at::randn({3, 37});
      input[1][column] = bad;
      const QuantizedRows rows = quantize_rows(input);
      for (const int row : {0, 1, 2}) EXPECT_EQ(std::isnan(rows.scales[row].item<float>()), row == 1);
      EXPECT_FALSE(quantize_bytes(input, byte_range(-4, 4)).is_finite);
    }
  }
  EXPECT_TRUE(quantize_bytes(at::randn({3, 37}), byte_range(-4, 4)).is_finite);
}

TEST(RowQuantizer, TakesBf16) {
  const at::Tensor input = at::randn({3, 40}).to(at::kBFloat16);
  const QuantizedRows wide = quantize_rows(input.to(at::kFloat));
  EXPECT_TRUE(quantize_rows(input).values.equal(wide.values));
}

TEST(RowQuantizer, SumsBecomeTheProductWithBiasAndResidual) {
  const QuantizedRows rows = quantize_rows(at::randn({32, 64}));
  const at::Tensor weights = at::randint_like(at::zeros({48, 64}), -127, 128).to(at::kChar);
  const at::Tensor scales = at::rand({48}) + 0.1;
  const at::Tensor bias = at::randn({48});
  const at::Tensor residual = at::randn({32, 48});
  const at::Tensor sums = at::_int_mm(rows.values, weights.t());
  const at::Tensor expected = back(rows).matmul((weights.to(at::kFloat) * scales.unsqueeze(1)).t()) + bias + residual;
  const at::Tensor output = dequantize_rows(sums, rows.scales, {scales, bias, residual}, at::kFloat);
  EXPECT_LE((output - expected).abs().max().item<float>(), 1e-3F * expected.abs().max().item<float>());
  EXPECT_EQ(dequantize_rows(sums, rows.scales, {scales, {}, {}}, at::kBFloat16).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace transformeter
