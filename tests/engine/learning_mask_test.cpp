// Relative positions learn through the mask: kernels that give it no gradient refuse it.
#include <gmock/gmock.h>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/randn.h>

#include <string>

#include "base/error.h"
#include "engine/operators.h"
#include "engine/training_operators.h"

namespace transformeter {
namespace {

AttentionInputs inputs_with(const at::Tensor& mask, double dropout) {
  AttentionInputs inputs;
  inputs.query = at::randn({2, 2, 5, 8});
  inputs.key = at::randn({2, 2, 5, 8});
  inputs.value = at::randn({2, 2, 5, 8});
  inputs.mask = mask;
  inputs.dropout = dropout;
  inputs.mask_learns = true;
  return inputs;
}

TEST(LearningMask, HasAGradientInEveryKernelThatTakesIt) {
  const at::Tensor bias = at::randn({1, 2, 5, 5});
  const AttentionInputs inputs = inputs_with(at::Tensor(), 0);
  at::Tensor expected;
  for (const char* attention : {"eager", "math", "sdpa"}) {
    AttentionInputs own = inputs;
    own.mask = bias.clone().requires_grad_();
    make_operators(attention)->attention(own).square().sum().backward();
    ASSERT_TRUE(own.mask.grad().defined()) << attention;
    if (!expected.defined()) expected = own.mask.grad();
    EXPECT_TRUE(at::allclose(own.mask.grad(), expected, 1e-4, 1e-5)) << attention;
  }
}

TEST(LearningMask, HasAGradientBesideFusedDropout) {
  const AttentionInputs inputs = inputs_with(at::randn({1, 2, 5, 5}).requires_grad_(), 0.1);
  make_training_operators({.attention = "sdpa", .fused = true})->attention(inputs).square().sum().backward();
  ASSERT_TRUE(inputs.mask.grad().defined());
  EXPECT_GT(inputs.mask.grad().abs().sum().item<float>(), 0);
}

// The first run under checkpointing keeps none, and must drop what the second one drops.
TEST(LearningMask, IsRunByTheSameKernelWithoutGradients) {
  const AttentionInputs inputs = inputs_with(at::randn({1, 2, 5, 5}).requires_grad_(), 0.5);
  const auto operators = make_training_operators({.attention = "sdpa", .fused = true});
  const auto drawn = [&](bool with_gradients) {
    const at::AutoGradMode mode(with_gradients);
    at::manual_seed(7);
    return operators->attention(inputs).detach();
  };
  EXPECT_TRUE(at::allclose(drawn(true), drawn(false)));
}

TEST(LearningMask, IsRefusedByNameWhereItHasNone) {
  const AttentionInputs inputs = inputs_with(at::randn({1, 2, 5, 5}).requires_grad_(), 0);
  for (const char* attention : {"flash", "tiled"}) {
    try {
      make_operators(attention)->attention(inputs);
      FAIL() << attention;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(),
                  testing::HasSubstr(std::string("attention ") + attention + " does not train relative positions"));
    }
  }
}

}  // namespace
}  // namespace transformeter
