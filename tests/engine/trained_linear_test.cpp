// Products of fp32 by every kernel, against LibTorch's linear and its gradients; products of bf16 in fp32, against fp64
// on the same rounded values.
#include "engine/trained_linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/temporary_directory.h"
#include "engine/kernel_probe.h"
#include "machine/kept_products.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

using testing::AnyOf;
using testing::IsEmpty;

const TrainingKernels kOfFp32 = TrainingKernels::of(at::kFloat, true),
                      kOfBf16 = TrainingKernels::of(at::kBFloat16, true);

at::Tensor leaf(const at::Tensor& values) {
  return values.detach().clone().requires_grad_();
}

void expect_near(const at::Tensor& actual, const at::Tensor& expected) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_LE((actual - expected).abs().max().item<double>(), 2e-5 * expected.abs().max().item<double>());
}

class TrainedKernels : public testing::TestWithParam<const char*> {
 protected:
  // What a layer of the factory computes, settled as the parameter says, is what LibTorch's computes.
  void expect_gradients(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& input,
                        const at::Tensor& slope) const {
    const TrainedLinears factory(kOfFp32);
    const LinearWeights ours{leaf(weight), bias.defined() ? leaf(bias) : bias};
    const LinearWeights theirs{leaf(weight), bias.defined() ? leaf(bias) : bias};
    const at::Tensor our_input = leaf(input);
    const at::Tensor their_input = leaf(input);
    const auto layer = factory.make(ours);
    factory.settle(input.numel() / input.size(-1), GetParam(), nullptr);
    const at::Tensor output = layer->forward(our_input);
    const at::Tensor expected = at::linear(their_input, theirs.weight, theirs.bias);
    expect_near(output, expected);
    output.backward(slope);
    expected.backward(slope);
    expect_near(our_input.grad(), their_input.grad());
    expect_near(ours.weight.grad(), theirs.weight.grad());
    if (bias.defined()) expect_near(ours.bias.grad(), theirs.bias.grad());
  }
};

TEST_P(TrainedKernels, HaveTheGradientsOfLibTorchs) {
  expect_gradients(at::randn({48, 64}), at::randn({48}), at::randn({3, 10, 64}), at::randn({3, 10, 48}));
  expect_gradients(at::randn({64, 48}), {}, at::randn({30, 48}), at::randn({30, 64}));
  expect_gradients(at::randn({2, 64}), at::randn({2}), at::randn({4, 64}), at::randn({4, 2}));
}

TEST_P(TrainedKernels, TakeTensorsOfAnyStrides) {
  const at::Tensor input = at::randn({64, 3, 10}).permute({1, 2, 0});
  const at::Tensor slope = at::randn({48, 3, 10}).permute({1, 2, 0});
  expect_gradients(at::randn({48, 64}), at::randn({48}), input, slope);
  expect_gradients(at::randn({64, 48}).t(), at::randn({48}), input, at::randn({1, 1, 48}).expand({3, 10, 48}));
}

INSTANTIATE_TEST_SUITE_P(Kernels, TrainedKernels, testing::Values("auto", "trial", "onednn"));

// What is not asked for is not computed; the graph needs nothing of the layer.
TEST(TrainedLinear, ComputeTheGradientsThatAreAskedFor) {
  static std::atomic<int> products{0};
  at::RecordFunctionCallback callback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
    products += std::string_view(function.name()) == "mkldnn::_linear_pointwise" ? 1 : 0;
    return nullptr;
  });
  for (const bool asks_input : {false, true}) {
    const TrainedLinears factory(kOfFp32);
    auto layer = factory.make({leaf(at::randn({48, 64})), {}});
    factory.settle(10, "onednn", nullptr);
    const at::Tensor output = layer->forward(at::randn({10, 64}).requires_grad_(asks_input));
    layer.reset();
    const at::CallbackHandle handle = at::addGlobalCallback(callback);
    products = 0;
    output.sum().backward();
    at::removeCallback(handle);
    EXPECT_EQ(products, asks_input ? 2 : 1);
  }
}

// Neither tried, nor computed, nor is the input kept for it.
TEST(TrainedLinear, ComputeNoGradientOfAFrozenWeight) {
  const TrainedLinears factory(kOfFp32);
  const at::Tensor weight = at::randn({48, 64}), bias = at::randn({48}), slope = at::randn({3, 10, 48});
  const auto layer = factory.make({weight, bias});
  const std::vector<SettledProduct> products = factory.settle(30, "onednn", nullptr);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_EQ(products[1].choice.size.uses[0].what, name_of(TrainingPart::kInputGradient));
  const at::Tensor input = leaf(at::randn({3, 10, 64})), their_input = leaf(input);
  at::Tensor narrow = input * 1;
  const c10::weak_intrusive_ptr<c10::TensorImpl> kept(narrow.getIntrusivePtr());
  const at::Tensor output = layer->forward(narrow);
  narrow.reset();
  EXPECT_TRUE(kept.expired());
  output.backward(slope);
  at::linear(their_input, weight, bias).backward(slope);
  expect_near(input.grad(), their_input.grad());
  EXPECT_FALSE(weight.grad().defined());
}

TEST(TrainedLinear, TakeNoRowsAtAll) {
  const TrainedLinears factory(kOfFp32);
  const LinearWeights weights{leaf(at::randn({48, 64})), leaf(at::randn({48}))};
  const auto layer = factory.make(weights);
  factory.settle(10, "onednn", nullptr);
  const at::Tensor input = leaf(at::randn({0, 64}));
  const at::Tensor output = layer->forward(input);
  EXPECT_EQ(output.sizes(), (at::DimVector{0, 48}));
  output.sum().backward();
  EXPECT_EQ(weights.weight.grad().abs().max().item<double>(), 0);
  EXPECT_EQ(input.grad().sizes(), input.sizes());
}

TEST(TrainedLinear, LeaveProductsOfAutocastToLibTorch) {
  const TrainedLinears factory(kOfFp32);
  const auto layer = factory.make({leaf(at::randn({48, 64})), {}});
  factory.settle(10, "onednn", nullptr);
  const Autocast autocast(c10::DeviceType::CPU, at::kBFloat16);
  EXPECT_EQ(layer->forward(at::randn({10, 64})).scalar_type(), at::kBFloat16);
}

TEST(TrainedLinear, TryEachPartOfEachSizeOnce) {
  const TrainedLinears factory(kOfFp32);
  for (int layer = 0; layer < 3; ++layer) factory.make({leaf(at::randn({48, 64})), leaf(at::randn({48}))});
  factory.make({leaf(at::randn({2, 64})), {}});
  const std::vector<SettledProduct> products = factory.settle(10, "auto", nullptr);
  ASSERT_EQ(products.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    const SettledProduct& one = products[i];
    EXPECT_EQ(one.choice.size.uses[0].what, name_of(static_cast<TrainingPart>(i % 3)));
    EXPECT_EQ(one.layers, i < 3 ? 3 : 1);
    EXPECT_EQ(one.choice.trials.size(), i < 3 ? 2U : 0U) << "small ones stay";
    EXPECT_THAT(one.choice.kernel, AnyOf("linear", "onednn"));
    for (const KernelTrial& trial : one.choice.trials) EXPECT_THAT(trial.refusal, IsEmpty()) << trial.name;
  }
}

TEST(TrainedLinear, TakeWhatAnotherProcessChose) {
  const TemporaryDirectory folder;
  KeptProducts kept(folder.path(), "machine", "runtime");
  const LinearWeights weights{leaf(at::randn({48, 64})), {}};
  const auto settle = [&](const char* kernel) {
    const TrainedLinears factory(kOfFp32);
    factory.make(weights);
    return factory.settle(10, kernel, &kept);
  };
  std::vector<ProductChoice> chosen;
  for (const SettledProduct& one : settle("auto")) chosen.push_back(one.choice);
  for (ProductChoice& one : chosen) {
    one.is_steady = true;
    one.kernel = "onednn";
  }
  kept.keep(chosen);
  for (const SettledProduct& one : settle("auto")) {
    EXPECT_TRUE(one.was_kept);
    EXPECT_EQ(one.choice.kernel, "onednn");
  }
  for (const SettledProduct& one : settle("trial")) EXPECT_FALSE(one.was_kept);
}

const double kHalfUnit = std::ldexp(1.0, -8);  // of bf16, of a value's size

at::Tensor rounded(const at::Tensor& values) {
  return values.detach().to(at::kBFloat16).to(at::kDouble);
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

at::Tensor under_autocast(const LinearKernel& kernel, const at::Tensor& input) {
  const Autocast autocast(c10::DeviceType::CPU, at::kBFloat16);
  const at::Tensor output = kernel.forward(input);
  EXPECT_EQ(autocast_type(c10::DeviceType::CPU), at::kBFloat16);
  return output;
}

std::shared_ptr<const LinearKernel> widened(const LinearWeights& weights) {
  return TrainedLinears(TrainingKernels::of(at::kBFloat16, false)).make(weights);
}

TEST(WidenedLinear, ComputesAutocastsProductsFromRoundedValues) {
  const Product product(at::kFloat);
  expect_rounded_product(product, under_autocast(*widened(product.weights()), product.input), 1e-6);
}

TEST(WidenedLinear, ComputesProductsOfWeightsInBf16) {
  const Product product(at::kBFloat16);
  expect_rounded_product(product, widened(product.weights())->forward(product.input), kHalfUnit);
}

TEST(WidenedLinear, NeedsNoBias) {
  const Product product(at::kBFloat16);
  const at::Tensor output = widened({product.weight, {}})->forward(product.input);
  EXPECT_LE(difference(output, at::linear(rounded(product.input), rounded(product.weight))), kHalfUnit);
  output.backward(product.slope);
  EXPECT_TRUE(product.weight.grad().defined());
}

TEST(WidenedLinear, LeavesFp32AsItIs) {
  const Product product(at::kFloat);
  const at::Tensor output = widened(product.weights())->forward(product.input);
  EXPECT_TRUE(output.equal(at::linear(product.input, product.weight, product.bias)));
}

TEST(WidenedLinear, ComputesNoGradientThatNobodyWants) {
  Product product(at::kBFloat16);
  product.input = product.input.detach();
  product.bias = product.bias.detach();
  widened(product.weights())->forward(product.input).backward(product.slope);
  EXPECT_TRUE(product.weight.grad().defined());
  EXPECT_FALSE(product.input.grad().defined());
}

// Whichever kernels a trial chooses on a processor with products of bf16.
class NarrowKernels : public testing::TestWithParam<std::array<const char*, 3>> {
 protected:
  std::shared_ptr<const LinearKernel> settled(const LinearWeights& weights) const {
    const TrainedLinears factory(kOfBf16);
    factory.make(weights);
    std::vector<ProductChoice> chosen;
    for (const SettledProduct& one : factory.settle(15, "auto", nullptr)) {
      EXPECT_EQ(one.choice.size.precision, "bf16");
      EXPECT_EQ(one.choice.trials.size(), 3U);
      for (const KernelTrial& trial : one.choice.trials) EXPECT_THAT(trial.refusal, IsEmpty()) << trial.name;
      chosen.push_back(one.choice);
      chosen.back().kernel = GetParam()[chosen.size() - 1];
      chosen.back().is_steady = true;
    }
    const TemporaryDirectory folder;
    KeptProducts known(folder.path(), "machine", "runtime");
    known.keep(chosen);
    auto layer = factory.make(weights);
    for (const SettledProduct& one : factory.settle(15, "auto", &known)) EXPECT_TRUE(one.was_kept);
    return layer;
  }
};

TEST_P(NarrowKernels, ComputeAutocastsProducts) {
  const Product product(at::kFloat);
  expect_rounded_product(product, under_autocast(*settled(product.weights()), product.input), 2 * kHalfUnit);
}

TEST_P(NarrowKernels, ComputeProductsOfWeightsInBf16) {
  const Product product(at::kBFloat16);
  expect_rounded_product(product, settled(product.weights())->forward(product.input), 2 * kHalfUnit);
}

TEST_P(NarrowKernels, AreReadBack) {
  const Product product(at::kBFloat16);
  const auto kernel = settled(product.weights());
  const KernelProbe probe;
  kernel->forward(product.input);
  EXPECT_EQ(probe.linear_kernel(), GetParam()[0]);
}

INSTANTIATE_TEST_SUITE_P(Choices, NarrowKernels,
                         testing::Values(std::array{"linear", "linear", "linear"},
                                         std::array{"widened", "widened", "widened"},
                                         std::array{"widened_onednn", "widened_onednn", "widened_onednn"},
                                         std::array{"linear", "widened", "widened_onednn"},
                                         std::array{"widened", "linear", "linear"}));

TEST(TrainedLinear, TakeOneDnnsOwnProductsWhereAsked) {
  const TrainedLinears factory(kOfBf16);
  factory.make({leaf(at::randn({48, 64})), {}});
  for (const SettledProduct& one : factory.settle(10, "onednn", nullptr)) {
    EXPECT_EQ(one.choice.kernel, "linear") << "LibTorch calls oneDNN for bf16";
    EXPECT_THAT(one.choice.trials, IsEmpty());
  }
}

TEST(TrainingProducts, AreKeptAsBits) {
  TrainingProducts products(TrainingKernel::kWidenedOneDnn);
  products.use(TrainingPart::kInputGradient, TrainingKernel::kOneDnn);
  const auto same = TrainingProducts::of_bits(products.bits());
  EXPECT_EQ(same.bits(), products.bits());
  EXPECT_TRUE(same.widens(TrainingPart::kOutputs));
  EXPECT_FALSE(same.widens(TrainingPart::kInputGradient));
  EXPECT_TRUE(same.widens(TrainingPart::kWeightGradient));
  EXPECT_FALSE(same.are_plain());
  EXPECT_TRUE(TrainingProducts().are_plain());
}

TEST(WidenedLinear, IsReadBackAsSuch) {
  const Product product(at::kBFloat16);
  const auto kernel = widened(product.weights());
  const KernelProbe probe;
  kernel->forward(product.input);
  EXPECT_EQ(probe.linear_kernel(), "widened");
}

}  // namespace
}  // namespace transformeter
