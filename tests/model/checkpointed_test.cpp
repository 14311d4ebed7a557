// Gradients of what is computed a second time are those of what is kept.
#include "model/checkpointed.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

at::Tensor leaf(std::int64_t count) {
  return at::arange(1, count + 1, at::kFloat).sin().requires_grad_();
}

TEST(Checkpointed, GivesTheInputAndWeightsTheirGradients) {
  const at::Tensor input = leaf(3), weight = leaf(3);
  const auto run = [&](const at::Tensor& own, const at::Tensor& beside) {
    EXPECT_FALSE(beside.defined());
    return (own * weight).sin();
  };
  checkpointed(run, input * 2).sum().backward();
  const at::Tensor slopes = (2 * input * weight).detach().cos();
  EXPECT_TRUE(at::allclose(input.grad(), 2 * weight.detach() * slopes));
  EXPECT_TRUE(at::allclose(weight.grad(), 2 * input.detach() * slopes));
}

// As the first layer of a model whose embeddings are frozen.
TEST(Checkpointed, GivesWeightsTheirGradientsWhereTheInputHasNone) {
  const at::Tensor input = at::arange(1, 4, at::kFloat), weight = leaf(3);
  const auto run = [&](const at::Tensor& own, const at::Tensor& /*beside*/) { return (own * weight).sin(); };
  checkpointed(run, input).sum().backward();
  EXPECT_TRUE(at::allclose(weight.grad(), input * (input * weight.detach()).cos()));
  EXPECT_FALSE(input.requires_grad());
}

// As layers of a decoder, which all read what was encoded.
TEST(Checkpointed, SeveralRunsShareWhatTheyReadBesideTheirInput) {
  const auto gradients = [](bool checkpoints) {
    const at::Tensor text = leaf(3), first = leaf(3), weight = leaf(3);
    const at::Tensor encoded = (text * weight).sin();
    const CheckpointedRun run = [&](const at::Tensor& own, const at::Tensor& beside) {
      return (own * beside + weight).cos();
    };
    at::Tensor hidden = first * 3;
    for (int layer = 0; layer < 3; ++layer) {
      hidden = checkpoints ? checkpointed(run, hidden, encoded) : run(hidden, encoded);
    }
    hidden.sum().backward();
    return std::vector<at::Tensor>{text.grad(), first.grad(), weight.grad()};
  };
  const std::vector<at::Tensor> kept = gradients(false), again = gradients(true);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_TRUE(again[i].defined()) << i;
    EXPECT_TRUE(at::allclose(again[i], kept[i])) << i;
  }
}

}  // namespace
}  // namespace transformeter
