// What an optimizer remembers, by name, and that it is all that it goes on from.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/optimizer.h"

namespace transformeter {
namespace {

at::Tensor numbers(at::IntArrayRef shape, double phase, c10::ScalarType type) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return at::sin(at::arange(count, at::kDouble) * 1.7 + phase).view(shape).to(type);
}

// A matrix that decays, a vector that does not.
std::vector<TrainedWeight> make_weights(c10::ScalarType type = at::kFloat) {
  return {{"layer.weight", numbers({3, 5}, 0, type).set_requires_grad(true), true},
          {"layer.bias", numbers({5}, 1, type).set_requires_grad(true), false}};
}

void take_step(Optimizer& optimizer, const std::vector<TrainedWeight>& weights, int step) {
  for (const TrainedWeight& weight : weights) {
    weight.value.mutable_grad() = numbers(weight.value.sizes(), 3.0 * step, weight.value.scalar_type());
  }
  optimizer.step(0.01 * step);
}

OptimizerOptions options_of(const std::string& kind) {
  OptimizerOptions options;
  options.kind = kind;
  options.weight_decay = 0.01;
  return options;
}

std::vector<std::string> state_names(const std::string& kind) {
  std::vector<std::string> names;
  for (const NamedTensor& tensor : make_optimizer(options_of(kind), make_weights())->state()) {
    names.push_back(tensor.name);
  }
  return names;
}

TEST(OptimizerState, IsNamedByKindAndWeight) {
  using testing::UnorderedElementsAre;
  for (const char* adam : {"adamw", "adam"}) {
    EXPECT_THAT(state_names(adam),
                UnorderedElementsAre("exp_avg.layer.weight", "exp_avg.layer.bias", "exp_avg_sq.layer.weight",
                                     "exp_avg_sq.layer.bias", "step.layer.weight", "step.layer.bias"));
  }
  EXPECT_THAT(state_names("sgd"), UnorderedElementsAre("momentum.layer.weight", "momentum.layer.bias"));
  EXPECT_THAT(state_names("adafactor"), UnorderedElementsAre("step", "exp_avg_sq_row.layer.weight",
                                                             "exp_avg_sq_col.layer.weight", "exp_avg_sq.layer.bias"));
}

TEST(OptimizerState, HasItsSizeInBytes) {
  // Twenty elements in two weights. Adam: two fp32 moments of each, and a step of each.
  EXPECT_EQ(state_bytes(*make_optimizer(options_of("adamw"), make_weights())), 2 * 20 * 4 + 2 * 4);
  // As the weights are: in bf16 half as much, but for the steps.
  EXPECT_EQ(state_bytes(*make_optimizer(options_of("adamw"), make_weights(at::kBFloat16))), 2 * 20 * 2 + 2 * 4);
  EXPECT_EQ(state_bytes(*make_optimizer(options_of("sgd"), make_weights())), 20 * 4);
  // Three rows, five columns and the vector's five in fp32, and the step in 64 bits.
  EXPECT_EQ(state_bytes(*make_optimizer(options_of("adafactor"), make_weights())), (3 + 5 + 5) * 4 + 8);
}

class RestoredState : public testing::TestWithParam<std::string> {};

TEST_P(RestoredState, GoesOnBitForBit) {
  const std::vector<TrainedWeight> straight = make_weights();
  const auto optimizer = make_optimizer(options_of(GetParam()), straight);
  for (int step = 1; step <= 3; ++step) take_step(*optimizer, straight, step);

  const std::vector<TrainedWeight> resumed = make_weights();
  const auto other = make_optimizer(options_of(GetParam()), resumed);
  const std::vector<NamedTensor> from = optimizer->state();
  const std::vector<NamedTensor> to = other->state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i].value.copy_(from[i].value);
  for (std::size_t i = 0; i < straight.size(); ++i) resumed[i].value.detach().copy_(straight[i].value.detach());

  for (int step = 4; step <= 6; ++step) {
    take_step(*optimizer, straight, step);
    take_step(*other, resumed, step);
  }
  for (std::size_t i = 0; i < straight.size(); ++i) EXPECT_TRUE(at::equal(straight[i].value, resumed[i].value));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, RestoredState, testing::ValuesIn(optimizer_kinds()));

// Else the test above would pass without any state.
TEST_P(RestoredState, MattersToTheNextStep) {
  const std::vector<TrainedWeight> straight = make_weights();
  const auto optimizer = make_optimizer(options_of(GetParam()), straight);
  for (int step = 1; step <= 3; ++step) take_step(*optimizer, straight, step);
  const std::vector<TrainedWeight> forgetful = make_weights();
  const auto other = make_optimizer(options_of(GetParam()), forgetful);
  for (std::size_t i = 0; i < straight.size(); ++i) forgetful[i].value.detach().copy_(straight[i].value.detach());
  take_step(*optimizer, straight, 4);
  take_step(*other, forgetful, 4);
  EXPECT_FALSE(at::equal(straight[0].value, forgetful[0].value));
}

}  // namespace
}  // namespace transformeter
