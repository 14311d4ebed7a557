// Attention in tiles, and the trial that may choose it, against the three operations in fp64.
#include "engine/tiled_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "base/error.h"
#include "engine/kernel_probe.h"
#include "engine/operators.h"
#include "engine/tried_attention.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

struct Shape {
  std::int64_t batch, heads, groups, queries, keys, width;
};

// Of heads and tokens as a layer has them: [B, T, H, d] seen as [B, H, T, d].
at::Tensor random_heads(std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t width,
                        c10::ScalarType type) {
  return at::randn({batch, tokens, heads, width}).to(type).transpose(1, 2);
}

AttentionInputs random_inputs(const Shape& shape, c10::ScalarType type) {
  AttentionInputs inputs;
  inputs.query = random_heads(shape.batch, shape.heads, shape.queries, shape.width, type);
  inputs.key = random_heads(shape.batch, shape.groups, shape.keys, shape.width, type);
  inputs.value = random_heads(shape.batch, shape.groups, shape.keys, shape.width, type);
  return inputs;
}

at::Tensor composed(const AttentionInputs& inputs) {
  const std::int64_t repeats = inputs.query.size(1) / inputs.key.size(1);
  const at::Tensor query = inputs.query.to(at::kDouble);
  const at::Tensor key = inputs.key.to(at::kDouble).repeat_interleave(repeats, 1);
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) / std::sqrt(static_cast<double>(query.size(-1)));
  if (inputs.mask.defined()) scores = scores + inputs.mask.to(at::kDouble);
  if (inputs.is_causal) {
    const at::Tensor after = at::ones({query.size(2), key.size(2)}, at::kBool).triu(1);
    scores = scores.masked_fill(after, -std::numeric_limits<double>::infinity());
  }
  return at::matmul(at::softmax(scores, -1), inputs.value.to(at::kDouble).repeat_interleave(repeats, 1));
}

double difference(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

double bound_of(c10::ScalarType type) {
  return type == at::kFloat ? 2e-6 : type == at::kHalf ? 4e-3 : 3e-2;
}

void expect_composed(const AttentionInputs& inputs) {
  const at::Tensor actual = tiled_attention(inputs);
  EXPECT_EQ(actual.scalar_type(), inputs.query.scalar_type());
  const at::Tensor expected = composed(inputs);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_LE(difference(actual, expected), bound_of(inputs.query.scalar_type()));
}

class TiledAttention : public testing::TestWithParam<c10::ScalarType> {
 protected:
  void SetUp() override { at::set_num_threads(2); }
};

TEST_P(TiledAttention, IsThatOfTheThreeOperations) {
  expect_composed(random_inputs({3, 4, 4, 7, 7, 16}, GetParam()));
  expect_composed(random_inputs({1, 1, 1, 1, 1, 8}, GetParam()));
  expect_composed(random_inputs({2, 6, 2, 5, 9, 8}, GetParam()));  // heads that share keys, and keys from before
}

TEST_P(TiledAttention, HidesWhatIsMaskedAndWhatComesAfter) {
  AttentionInputs inputs = random_inputs({2, 4, 4, 33, 33, 16}, GetParam());
  inputs.is_causal = true;
  expect_composed(inputs);
  inputs.is_causal = false;
  at::Tensor seen = at::ones({2, 33}, at::kBool);
  seen[1].slice(0, 20).fill_(false);
  inputs.mask = additive_mask(seen, GetParam());
  expect_composed(inputs);
  inputs.mask = at::randn({2, 1, 33, 33}).to(GetParam());  // each query its own
  expect_composed(inputs);
}

// More scores than a tile holds: some heads at once, and then some queries of a few heads.
TEST_P(TiledAttention, IsTheSameInSeveralTiles) {
  expect_composed(random_inputs({3, 12, 12, 300, 300, 16}, GetParam()));
  AttentionInputs inputs = random_inputs({1, 6, 3, 1100, 1100, 8}, GetParam());
  inputs.is_causal = true;
  expect_composed(inputs);
}

TEST_P(TiledAttention, KeepsWhatIsNoNumber) {
  AttentionInputs inputs = random_inputs({1, 2, 2, 4, 4, 8}, GetParam());
  inputs.key = at::full_like(inputs.key, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(tiled_attention(inputs).isnan().all().item<bool>());
}

TEST_P(TiledAttention, OfNoQueriesIsEmpty) {
  AttentionInputs inputs = random_inputs({1, 2, 2, 4, 4, 8}, GetParam());
  inputs.query = inputs.query.slice(2, 0, 0);
  EXPECT_EQ(tiled_attention(inputs).sizes(), inputs.query.sizes());
}

INSTANTIATE_TEST_SUITE_P(Types, TiledAttention, testing::Values(at::kFloat, at::kBFloat16, at::kHalf),
                         [](const auto& of) { return c10::toString(of.param); });

TEST(TiledAttentionProbe, IsReadBackByItsName) {
  const KernelProbe probe;
  make_operators("tiled", true)->attention(random_inputs({1, 2, 2, 4, 4, 8}, at::kBFloat16));
  EXPECT_EQ(probe.attention_kernel(), "tiled");
}

TEST(TiledAttentionProbe, HasNoDropout) {
  AttentionInputs inputs = random_inputs({1, 2, 2, 4, 4, 8}, at::kFloat);
  inputs.dropout = 0.1;
  EXPECT_THROW(make_operators("tiled")->attention(inputs), Error);
}

// Products of 16 values of 100 each are larger than any number of fp16.
TEST(TiledAttentionOfHalves, ScalesBeforeItMultiplies) {
  AttentionInputs inputs = random_inputs({1, 1, 1, 4, 4, 16}, at::kHalf);
  inputs.query = at::full_like(inputs.query, 100);
  inputs.key = at::full_like(inputs.key, 100);
  expect_composed(inputs);
}

int calls = 0;

at::Tensor counted_zeros(const AttentionInputs& inputs) {
  ++calls;
  return at::zeros_like(inputs.query);
}

TEST(TriedAttention, RefusesAWrongKernelAndTriesItOnceForEachKind) {
  const TriedAttention attention(&counted_zeros);
  AttentionInputs inputs = random_inputs({2, 4, 4, 64, 64, 16}, at::kBFloat16);
  calls = 0;
  EXPECT_LE(difference(attention(inputs), composed(inputs)), bound_of(at::kBFloat16));
  EXPECT_EQ(calls, 1) << "refused for its first outputs";
  attention(inputs);
  EXPECT_EQ(calls, 1);
  inputs.is_causal = true;
  EXPECT_LE(difference(attention(inputs), composed(inputs)), bound_of(at::kBFloat16));
  EXPECT_EQ(calls, 2);
}

TEST(TriedAttention, GoesOnWithWhatIsNoNumber) {
  AttentionInputs inputs = random_inputs({2, 4, 4, 64, 64, 16}, at::kBFloat16);
  inputs.key = at::full_like(inputs.key, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(TriedAttention()(inputs).isnan().all().item<bool>());
}

TEST(TriedAttention, TakesOneOfBothAndTheProbeSeesNoTrial) {
  at::set_num_threads(1);
  const AttentionInputs inputs = random_inputs({2, 4, 4, 64, 64, 16}, at::kBFloat16);
  const TriedAttention attention;
  for (int call = 0; call < 2; ++call) {
    const KernelProbe probe;
    const at::Tensor actual = attention(inputs);
    EXPECT_THAT(probe.attention_kernel(), AnyOf("flash", "tiled"));
    EXPECT_LE(difference(actual, composed(inputs)), bound_of(at::kBFloat16));
  }
}

TEST(TriedAttention, LeavesFullPrecisionAndSingleTokensToLibTorch) {
  const TriedAttention attention(&counted_zeros);
  calls = 0;
  attention(random_inputs({2, 4, 4, 64, 64, 16}, at::kFloat));
  attention(random_inputs({2, 4, 4, 1, 64, 16}, at::kBFloat16));
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(attention.choices(), IsEmpty());
}

at::Tensor patient_attention(const AttentionInputs& inputs) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return tiled_attention(inputs);
}

TEST(TriedAttention, TellsWhatItChoseAndWhy) {
  at::set_num_threads(1);
  const TriedAttention slow(&patient_attention);
  AttentionInputs inputs = random_inputs({2, 4, 2, 20, 40, 16}, at::kBFloat16);
  slow(inputs);
  ASSERT_EQ(slow.choices().size(), 1U);
  const AttentionChoice choice = slow.choices().front();
  EXPECT_EQ(choice.kernel, "sdpa");
  EXPECT_EQ(choice.kind, (AttentionKind{.queries = 16, .keys = 32, .threads = 1}));
  const Json told = choice;
  EXPECT_GE(told.at("seconds").at("tiled"), 0.005);
  EXPECT_LT(told.at("seconds").at("sdpa"), told.at("seconds").at("tiled"));

  const TriedAttention wrong(&counted_zeros);
  wrong(inputs);
  EXPECT_THAT(Json(wrong.choices().front()).at("refused").at("tiled"), HasSubstr("its outputs differ"));
}

// Streams ask at once, and each kind of inputs is tried once.
TEST(TriedAttention, TakesCallsFromSeveralThreads) {
  const TriedAttention attention;
  const std::vector<AttentionInputs> all{random_inputs({1, 2, 2, 32, 32, 8}, at::kBFloat16),
                                         random_inputs({1, 2, 2, 80, 80, 8}, at::kBFloat16)};
  std::vector<double> differences(4, 1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    threads.emplace_back([&, i] {
      const AttentionInputs& inputs = all[i % all.size()];
      differences[i] = difference(attention(inputs), composed(inputs));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double one : differences) EXPECT_LE(one, bound_of(at::kBFloat16));
}

}  // namespace
}  // namespace transformeter
