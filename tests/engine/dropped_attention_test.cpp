// Dropout that stores no mask, against the same factors and LibTorch's operators in fp64.
#include "engine/dropped_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/dropped_rows.h"
#include "engine/kernel_probe.h"
#include "engine/one_dnn_support.h"
#include "engine/training_operators.h"
#include "model/attention_masks.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

struct Shape {
  std::int64_t batch, heads, groups, queries, keys, width;
};

double difference(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

// Half a unit in the last place of numbers near one, a few times.
double bound_of(c10::ScalarType type) {
  return type == at::kFloat ? 2e-6 : type == at::kHalf ? 4e-3 : 3e-2;
}

at::Tensor leaf(const at::Tensor& values) {
  return values.detach().clone().requires_grad_();
}

// Of heads and tokens as a layer has them: [B, T, H, d] seen as [B, H, T, d].
at::Tensor random_heads(std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t width,
                        c10::ScalarType type) {
  return at::randn({batch, tokens, heads, width}).to(type).transpose(1, 2);
}

AttentionInputs random_inputs(const Shape& shape, c10::ScalarType type) {
  AttentionInputs inputs;
  inputs.query = random_heads(shape.batch, shape.heads, shape.queries, shape.width, type).requires_grad_();
  inputs.key = random_heads(shape.batch, shape.groups, shape.keys, shape.width, type).requires_grad_();
  inputs.value = random_heads(shape.batch, shape.groups, shape.keys, shape.width, type).requires_grad_();
  return inputs;
}

// The factors of a stream, read off by attention to one-hot values with equal scores: [B, H, T, S].
at::Tensor factors_of(const Shape& shape, double share, std::uint64_t seed) {
  AttentionInputs inputs;
  inputs.query = at::zeros({shape.batch, shape.heads, shape.queries, shape.width});
  inputs.key = at::zeros({shape.batch, shape.groups, shape.keys, shape.width});
  inputs.value = at::eye(shape.keys).expand({shape.batch, shape.groups, shape.keys, shape.keys});
  inputs.dropout = share;
  at::manual_seed(seed);
  return dropped_attention(inputs).to(at::kDouble) * static_cast<double>(shape.keys);
}

// softmax(Q Kᵀ / √d + mask) ∘ factors · V in fp64, composed.
at::Tensor composed(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const AttentionInputs& inputs, const at::Tensor& factors) {
  const std::int64_t repeats = query.size(1) / key.size(1);
  const at::Tensor keys = key.repeat_interleave(repeats, 1);
  at::Tensor scores = at::matmul(query, keys.transpose(-2, -1)) / std::sqrt(static_cast<double>(query.size(-1)));
  if (inputs.mask.defined()) scores = scores + inputs.mask.to(at::kDouble);
  if (inputs.is_causal) {
    const at::Tensor after = at::ones({query.size(2), key.size(2)}, at::kBool).triu(1);
    scores = scores.masked_fill(after, -std::numeric_limits<double>::infinity());
  }
  return at::matmul(at::softmax(scores, -1) * factors, value.repeat_interleave(repeats, 1));
}

void expect_composed(const Shape& shape, AttentionInputs inputs, double share = 0.3, bool widened = false) {
  const c10::ScalarType type = inputs.query.scalar_type();
  inputs.dropout = share;
  const at::Tensor factors = factors_of(shape, inputs.dropout, 7);
  const at::Tensor query = leaf(inputs.query.to(at::kDouble)), key = leaf(inputs.key.to(at::kDouble)),
                   value = leaf(inputs.value.to(at::kDouble));
  const at::Tensor expected = composed(query, key, value, inputs, factors);
  at::manual_seed(7);
  const at::Tensor actual = dropped_attention(inputs, widened);
  EXPECT_EQ(actual.scalar_type(), type);
  EXPECT_LE(difference(actual, expected), bound_of(type));
  const at::Tensor slope = at::randn(expected.sizes(), at::kDouble).to(type);
  expected.backward(slope.to(at::kDouble));
  actual.backward(slope);
  EXPECT_LE(difference(inputs.query.grad(), query.grad()), bound_of(type));
  EXPECT_LE(difference(inputs.key.grad(), key.grad()), bound_of(type));
  EXPECT_LE(difference(inputs.value.grad(), value.grad()), bound_of(type));
}

class DroppedAttentionOf : public testing::TestWithParam<c10::ScalarType> {
 protected:
  void SetUp() override { at::set_num_threads(2); }
};

// 70 and 130 tokens: no multiple of a register's width, and more than one block of queries.
TEST_P(DroppedAttentionOf, IsTheComposedOne) {
  for (const Shape& shape : {Shape{2, 3, 3, 70, 70, 16}, {1, 4, 2, 130, 130, 32}, {2, 2, 2, 1, 33, 64}}) {
    SCOPED_TRACE(shape.queries);
    expect_composed(shape, random_inputs(shape, GetParam()));
  }
}

TEST_P(DroppedAttentionOf, ObeysAMask) {
  const Shape shape{2, 2, 2, 40, 40, 16};
  AttentionInputs inputs = random_inputs(shape, GetParam());
  const at::Tensor ids = at::ones({2, 40}, at::kBool);
  ids[1].slice(0, 25).fill_(false);
  inputs.mask = additive_mask(ids, GetParam());
  expect_composed(shape, inputs);
}

TEST_P(DroppedAttentionOf, IsCausal) {
  const Shape shape{1, 2, 2, 150, 150, 16};
  AttentionInputs inputs = random_inputs(shape, GetParam());
  inputs.is_causal = true;
  expect_composed(shape, inputs);
}

TEST(DroppedAttention, WidenedIsTheComposedOne) {
  at::set_num_threads(2);
  const Shape shape{2, 4, 2, 130, 130, 16};
  for (const double share : {0.3, 0.0}) {
    SCOPED_TRACE(share);
    expect_composed(shape, random_inputs(shape, at::kBFloat16), share, true);
  }
}

TEST(DroppedAttention, WidenedIsNearerThanProductsInTheInputsType) {
  const Shape shape{1, 2, 2, 64, 64, 32};
  AttentionInputs inputs = random_inputs(shape, at::kBFloat16);
  const at::Tensor expected = composed(leaf(inputs.query.to(at::kDouble)), leaf(inputs.key.to(at::kDouble)),
                                       leaf(inputs.value.to(at::kDouble)), inputs, at::ones({}, at::kDouble));
  const double widened = difference(dropped_attention(inputs, true), expected);
  EXPECT_LE(widened, std::ldexp(1.0, -8));  // the rounding of the result alone
  EXPECT_LT(widened, difference(dropped_attention(inputs), expected));
}

TEST(DroppedAttention, WhichKindRanIsReadBack) {
  const AttentionInputs inputs = random_inputs({1, 2, 2, 8, 8, 8}, at::kBFloat16);
  for (const bool is_widened : {false, true}) {
    const KernelProbe probe;
    dropped_attention(inputs, is_widened);
    EXPECT_EQ(probe.attention_kernel(), is_widened ? "fused_widened" : "fused_dropout");
  }
}

TEST(DroppedAttention, WidenedKeepsItsProductsUnderAutocast) {
  const Shape shape{2, 2, 2, 40, 40, 16};
  const AttentionInputs inputs = random_inputs(shape, at::kBFloat16);
  const at::Tensor expected = dropped_attention(inputs, true);
  const Autocast autocast(c10::DeviceType::CPU, at::kBFloat16);
  EXPECT_TRUE(dropped_attention(inputs, true).equal(expected));
}

INSTANTIATE_TEST_SUITE_P(Types, DroppedAttentionOf, testing::Values(at::kFloat, at::kBFloat16, at::kHalf),
                         [](const auto& type) { return std::string(c10::toString(type.param)); });

TEST(DroppedAttention, DropsTheShareAskedFor) {
  const at::Tensor factors = factors_of({4, 4, 4, 64, 256, 8}, 0.1, 3);
  const double dropped = factors.lt(0.5).to(at::kDouble).mean().item<double>();
  // 262,144 draws: five standard errors.
  EXPECT_NEAR(dropped, 0.1, 5 * std::sqrt(0.09 / 262144));
  EXPECT_NEAR(factors.max().item<double>(), 1 / 0.9, 1e-5);
  // Neither rows nor columns share their draws.
  const at::Tensor kept = factors.gt(0.5).to(at::kDouble);
  EXPECT_LT((kept.mean(-1) - 0.9).abs().max().item<double>(), 0.12);
  EXPECT_LT((kept.mean(at::IntArrayRef{0, 1, 2}) - 0.9).abs().max().item<double>(), 0.06);
}

TEST(DroppedAttention, IsDrawnByTheSeedOnAnyNumberOfThreads) {
  const Shape shape{2, 3, 3, 20, 20, 8};
  at::set_num_threads(1);
  const at::Tensor one = factors_of(shape, 0.5, 11);
  at::set_num_threads(2);
  EXPECT_TRUE(one.equal(factors_of(shape, 0.5, 11)));
  EXPECT_FALSE(one.equal(factors_of(shape, 0.5, 12)));
}

TEST(DroppedAttention, HandsOnWhatIsNoNumber) {
  const Shape shape{1, 1, 1, 4, 4, 8};
  AttentionInputs inputs = random_inputs(shape, at::kFloat);
  inputs.dropout = 0.1;
  inputs.query = at::full({1, 1, 4, 8}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(dropped_attention(inputs).isnan().all().item<bool>());
}

TEST(DroppedRows, GiveTheirGradientsTheSameFactors) {
  for (const c10::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const at::Tensor input = at::ones({300, 70}, type).requires_grad_();
    const at::Tensor output = dropped_rows(input, 0.25);
    const double dropped = output.eq(0).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(dropped, 0.25, 5 * std::sqrt(0.1875 / 21000));
    output.backward(at::ones({300, 70}, type));
    EXPECT_TRUE(input.grad().equal(output)) << type;
  }
}

TEST(TrainingOperators, FuseOnlyWhatDrops) {
  const Shape shape{1, 2, 2, 8, 8, 8};
  AttentionInputs inputs = random_inputs(shape, at::kFloat);
  const at::Tensor plain = make_training_operators({})->attention(inputs);
  EXPECT_TRUE(make_training_operators({.fused = true})->attention(inputs).equal(plain));
  inputs.dropout = 0.5;
  const auto drawn = [&](const char* attention, bool fused) {
    at::manual_seed(5);
    return make_training_operators({.attention = attention, .fused = fused})->attention(inputs);
  };
  EXPECT_TRUE(drawn("math", true).equal(drawn("math", false)));
  EXPECT_FALSE(drawn("sdpa", true).equal(drawn("sdpa", false)));
}

TEST(TrainingOperators, TryWhetherToWidenWithoutDrawing) {
  if (!has_one_dnn_bf16()) GTEST_SKIP() << "products in bf16 are always widened here";
  AttentionInputs inputs = random_inputs({1, 2, 2, 40, 40, 8}, at::kBFloat16);
  inputs.dropout = 0.5;
  const auto tried = make_training_operators({.fused = true, .tries_widening = true});
  at::manual_seed(5);
  const at::Tensor output = tried->attention(inputs);
  const std::vector<AttentionChoice> choices = tried->attention_choices();
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].kind.queries, 32);
  ASSERT_EQ(choices[0].trials.size(), 2U);
  for (const KernelTrial& trial : choices[0].trials) EXPECT_EQ(trial.refusal, "") << trial.name;
  at::manual_seed(5);
  EXPECT_TRUE(output.equal(dropped_attention(inputs, choices[0].kernel == "fused_widened")));
  tried->attention(random_inputs({1, 2, 2, 40, 40, 8}, at::kFloat));
  EXPECT_EQ(tried->attention_choices().size(), 1U) << "fp32 has nothing to choose";
  EXPECT_TRUE(make_training_operators({.fused = true})->attention_choices().empty());
}

}  // namespace
}  // namespace transformeter
