// Norms and rotations of our own against LibTorch's operators, which they stand for.
#include "engine/row_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

#include "engine/operators.h"
#include "model/rotary_embedding.h"

namespace transformeter {
namespace {

// Largest difference ÷ largest value.
double difference(const at::Tensor& actual, const at::Tensor& expected) {
  const at::Tensor truth = expected.to(at::kDouble);
  return ((actual.to(at::kDouble) - truth).abs().max() / truth.abs().max()).item<double>();
}

// Half a unit in the last place of numbers near one, a few times.
double bound_of(c10::ScalarType type) {
  return type == at::kFloat ? 1e-6 : type == at::kHalf ? 2e-3 : 1.6e-2;
}

Rotation random_rotation(std::int64_t batch, std::int64_t tokens, std::int64_t width, c10::ScalarType type) {
  const at::Tensor half = at::rand({batch, 1, tokens, width / 2}) * 6.3;
  const at::Tensor angles = at::cat({half, half}, -1);
  return {angles.cos().to(type), angles.sin().to(type)};
}

class RowKernels : public testing::TestWithParam<c10::ScalarType> {
 protected:
  void SetUp() override { at::set_num_threads(2); }
};

// In fp32: 1 + a small weight has none of its digits in bf16.
TEST_P(RowKernels, RmsNormAddsTheOffsetToTheWeight) {
  const at::Tensor input = at::randn({5, 96}).to(GetParam());
  const at::Tensor weight = (at::randn({96}) * 0.01).to(GetParam());
  const at::Tensor expected = at::rms_norm(input.to(at::kDouble), {96}, weight.to(at::kDouble) + 1, 1e-6);
  const at::Tensor exact = rms_norm_rows(input.to(at::kFloat), weight.to(at::kFloat), 1e-6, 1);
  EXPECT_LE(difference(exact, expected), bound_of(at::kFloat));
  EXPECT_LE(difference(rms_norm_rows(input, weight, 1e-6, 1), expected), bound_of(GetParam()));
}

TEST_P(RowKernels, RmsNormIsLibTorchs) {
  const double epsilon = 1e-6;
  // 70 columns: no multiple of a register's width. The last two sizes are for more than one thread.
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1, 1, 896}, {3, 5, 70}, {2, 4, 3, 64}, {1, 800, 96}, {2, 2, 20000}}) {
    const at::Tensor input = at::randn(shape) * 3;
    const at::Tensor weight = at::randn({shape.back()});
    const at::Tensor expected = at::rms_norm(input.to(at::kDouble), {shape.back()}, weight.to(at::kDouble), epsilon);
    const at::Tensor actual = rms_norm_rows(input.to(GetParam()), weight.to(GetParam()), epsilon);
    EXPECT_EQ(actual.scalar_type(), GetParam());
    EXPECT_EQ(actual.sizes(), expected.sizes());
    EXPECT_LE(difference(actual, expected), bound_of(GetParam())) << shape.size() << " dimensions";
  }
}

TEST_P(RowKernels, RmsNormTakesRowsThatAreNotDense) {
  const at::Tensor wide = at::randn({2, 7, 3, 64}).to(GetParam());
  const at::Tensor weight = at::randn({64}).to(GetParam());
  const at::Tensor columns_apart = at::randn({2, 64, 7}).to(GetParam()).transpose(1, 2);
  for (const at::Tensor& input : {wide.select(2, 1), wide.transpose(0, 1), wide.slice(2, 1, 3), columns_apart}) {
    EXPECT_LE(difference(rms_norm_rows(input, weight, 1e-5), at::rms_norm(input, {64}, weight, 1e-5)),
              bound_of(GetParam()));
  }
}

TEST_P(RowKernels, ARotationIsTheComposedOne) {
  constexpr std::int64_t kTokens = 300;  // for more than one thread
  for (const std::int64_t batch : {1, 3}) {
    for (const std::int64_t angles : {std::int64_t{1}, batch}) {
      const Rotation rotation = random_rotation(angles, kTokens, 64, GetParam());
      const at::Tensor dense = at::randn({batch, 4, kTokens, 64}).to(GetParam());
      const at::Tensor part_of_wider = at::randn({batch, kTokens, 6, 64}).to(GetParam()).slice(2, 1, 5).transpose(1, 2);
      const at::Tensor columns_apart = at::randn({batch, 4, 64, kTokens}).to(GetParam()).transpose(2, 3);
      for (const at::Tensor& input : {dense, part_of_wider, columns_apart}) {
        const at::Tensor actual = rotate_rows(input, rotation.cosine, rotation.sine);
        EXPECT_EQ(actual.sizes(), input.sizes());
        EXPECT_LE(difference(actual, rotate(input, rotation)), bound_of(GetParam()));
      }
    }
  }
}

TEST(RowKernelInputs, ThatDoNotFitAreRefused) {
  const at::Tensor rows = at::randn({1, 2, 3, 8});
  EXPECT_THROW(rms_norm_rows(rows, at::randn({4}), 1e-5), c10::Error);
  EXPECT_THROW(rms_norm_rows(rows, at::randn({8}).to(at::kHalf), 1e-5), c10::Error);
  const Rotation two_tokens = random_rotation(1, 2, 8, at::kFloat);
  EXPECT_THROW(rotate_rows(rows, two_tokens.cosine, two_tokens.sine), c10::Error);
  const Rotation wide = random_rotation(1, 3, 10, at::kFloat);
  EXPECT_THROW(rotate_rows(rows, wide.cosine, wide.sine), c10::Error);
  const Rotation narrow = random_rotation(1, 3, 6, at::kFloat);
  EXPECT_LE(difference(rotate_rows(rows, narrow.cosine, narrow.sine), rotate(rows, narrow)), bound_of(at::kFloat))
      << "of which a part is turned";
  EXPECT_THROW(rotate_rows(rows, narrow.cosine.slice(-1, 1), narrow.sine.slice(-1, 1)), c10::Error) << "an odd number";
}

// at::parallel_for is serial, and says nothing, in a file that is compiled without OpenMP. A team larger than any
// before it has to start threads.
TEST(RowKernelThreads, AreAsManyAsLibTorchHas) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  at::set_num_threads(1);
  const at::Tensor input = at::ones({8, 40000});
  const at::Tensor weight = at::ones({40000});
  const auto before = threads();
  at::set_num_threads(static_cast<int>(before) + 3);
  rms_norm_rows(input, weight, 1e-5);
  EXPECT_GE(threads(), before + 2);
}

INSTANTIATE_TEST_SUITE_P(Types, RowKernels, testing::Values(at::kFloat, at::kBFloat16, at::kHalf),
                         [](const auto& of) { return c10::toString(of.param); });

// Keys and values as a cache holds them, of 33 tokens in room for 40.
AttentionInputs one_token(c10::ScalarType type) {
  AttentionInputs inputs;
  inputs.query = at::randn({2, 1, 14, 64}).to(type).transpose(1, 2);
  inputs.key = at::randn({2, 2, 40, 64}).to(type).slice(2, 0, 33);
  inputs.value = at::randn({2, 2, 40, 64}).to(type).slice(2, 0, 33);
  return inputs;
}

TEST(FusedOperators, JoinTheQueriesThatShareKeys) {
  for (const c10::ScalarType type : {at::kFloat, at::kBFloat16}) {
    AttentionInputs inputs = one_token(type);
    const at::Tensor mask = at::randn({2, 1, 1, 33}).to(type);
    for (const char* attention : {"sdpa", "eager", "math", "flash"}) {
      for (const int threads : {2, 8}) {  // 8: more than there are groups, so nothing is joined
        at::set_num_threads(threads);
        for (const at::Tensor& added : {at::Tensor(), mask}) {
          inputs.mask = added;
          const at::Tensor expected = make_operators(attention)->attention(inputs);
          const at::Tensor actual = make_operators(attention, true)->attention(inputs);
          EXPECT_EQ(actual.sizes(), expected.sizes());
          EXPECT_LE(difference(actual, expected), type == at::kFloat ? 1e-5 : 1.6e-2) << attention;
        }
      }
    }
  }
}

int expansions = 0;

std::unique_ptr<at::ObserverContext> count_expansions(const at::RecordFunction& function) {
  if (std::string_view(function.name()) == "aten::expand") ++expansions;
  return nullptr;
}

// Eager attention expands keys and values to the number of query heads, and so copies them.
TEST(FusedOperators, RepeatNoKeysForOneToken) {
  const AttentionInputs inputs = one_token(at::kFloat);
  const auto expansions_of = [&](bool fused) {
    expansions = 0;
    const at::CallbackHandle handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&count_expansions));
    make_operators("eager", fused)->attention(inputs);
    at::removeCallback(handle);
    return expansions;
  };
  at::set_num_threads(2);
  EXPECT_GT(expansions_of(false), expansions_of(true));
}

}  // namespace
}  // namespace transformeter
