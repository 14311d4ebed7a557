// Products with weights in int8 against the same product of the weights as they are read back.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>

#include <limits>

#include "engine/linear_factories.h"
#include "model/int8_channels.h"
#include "spec/config_reader.h"

namespace transformeter {
namespace {

// 24 and 312 are widths of published small models, and no multiples of what a kernel reads at a time.
TEST(WeightOnlyInt8, TakesAnyNumberOfInputs) {
  for (const std::int64_t inputs : {16, 24, 48, 312}) {
    for (const std::int64_t rows : {1, 3, 40}) {
      SCOPED_TRACE(inputs * 1000 + rows);
      const LinearWeights weights{at::randn({20, inputs}), at::randn({20})};
      const Int8Channels bytes = quantize_channels(weights.weight);
      const at::Tensor read_back = bytes.values.to(at::kFloat) * bytes.scales.unsqueeze(1);
      const at::Tensor input = at::randn({rows, inputs}).to(at::kBFloat16);
      const at::Tensor expected = at::linear(input.to(at::kFloat), read_back, weights.bias);
      const auto kernel = make_linears({"int8_weight_only", false, false})
                              ->make({weights.weight.to(at::kBFloat16), weights.bias.to(at::kBFloat16)});
      const at::Tensor output = kernel->forward(input).to(at::kFloat);
      EXPECT_LE((output - expected).abs().max().item<float>(), 0.03F * expected.abs().max().item<float>());
    }
  }
}

struct FeedForwardWeights {
  LinearWeights in{at::randn({160, 48}), at::randn({160})};
  LinearWeights out{at::randn({48, 160}) / 12, at::randn({48})};
  at::Tensor input = at::randn({2, 20, 48});
  at::Tensor residual = at::randn({2, 20, 48});
};

float largest(const at::Tensor& values) {
  return values.abs().max().item<float>();
}

// One int8 product feeds another without fp32 between them: the same but for what rounds the other way.
void expect_same_as_one_after_another(const LinearKernel& in, const LinearKernel& out, const FeedForwardWeights& of,
                                      Activation activation) {
  const at::Tensor apart = out.added(in.activated(of.input, activation), of.residual);
  const at::Tensor joined = out.added_to(in.activated_for(out, of.input, activation), of.residual);
  EXPECT_EQ(joined.sizes(), of.residual.sizes());
  EXPECT_LE(largest(joined - apart), 0.01F * largest(apart));
}

TEST(DynamicInt8, FeedsTheNextProductWithoutFloats) {
  const FeedForwardWeights weights;
  for (const bool prepacked : {false, true}) {
    const auto factory = make_linears({"int8", prepacked, true});
    const auto in = factory->make(weights.in);
    const auto out = factory->make(weights.out);
    for (const Activation activation : {Activation::kGelu, Activation::kRelu, Activation::kSilu}) {
      SCOPED_TRACE(activation_name(activation));
      expect_same_as_one_after_another(*in, *out, weights, activation);
    }
    EXPECT_EQ(in->activated_for(*out, weights.input, Activation::kGelu).values.scalar_type(),
              prepacked ? at::kByte : at::kChar);
  }
}

TEST(DynamicInt8, FeedsAProductOfAnotherFormInFloats) {
  const FeedForwardWeights weights;
  const auto in = make_linears({"int8", false, true})->make(weights.in);
  const auto out = plain_linears()->make(weights.out);
  expect_same_as_one_after_another(*in, *out, weights, Activation::kGelu);
}

TEST(StaticInt8, FeedsTheNextProductInItsBytes) {
  const FeedForwardWeights weights;
  const auto factory = make_linears({"int8_static", true, true});
  const auto in = factory->make(weights.in);
  const auto out = factory->make(weights.out);
  out->added_to(in->activated_for(*out, weights.input, Activation::kGelu), weights.residual);  // calibrates both
  dynamic_cast<const ObservingLinears&>(*factory).settle(nullptr);
  expect_same_as_one_after_another(*in, *out, weights, Activation::kGelu);
  EXPECT_EQ(in->activated_for(*out, weights.input, Activation::kGelu).values.scalar_type(), at::kByte);
  // No activation of oneDNN's.
  expect_same_as_one_after_another(*in, *out, weights, Activation::kMish);
}

TEST(StaticInt8, WhatIsNotFiniteDoesNotBecomeANumber) {
  FeedForwardWeights weights;
  const auto factory = make_linears({"int8_static", true, true});
  const auto in = factory->make(weights.in);
  const auto out = factory->make(weights.out);
  out->added_to(in->activated_for(*out, weights.input, Activation::kGelu), weights.residual);
  dynamic_cast<const ObservingLinears&>(*factory).settle(nullptr);
  weights.input[0][0][0] = std::numeric_limits<float>::infinity();
  const at::Tensor output = out->added_to(in->activated_for(*out, weights.input, Activation::kGelu), weights.residual);
  EXPECT_TRUE(at::isnan(output).all().item<bool>());
}

}  // namespace
}  // namespace transformeter
