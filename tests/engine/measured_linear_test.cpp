// Products whose kernel is chosen by trials, against LibTorch's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "engine/kernel_probe.h"
#include "engine/linear_factories.h"
#include "engine/one_dnn_support.h"
#include "engine/widened_linear.h"
#include "machine/kept_products.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MeasuredLinears : public testing::TestWithParam<bool> {
 protected:
  static void expect_near(const at::Tensor& output, const at::Tensor& expected) {
    EXPECT_LE((output - expected).abs().max().item<double>(), 1e-4);
  }

  const c10::InferenceMode guard_;
  const std::shared_ptr<const LinearFactory> factory_ = measured_linears(GetParam(), "auto");
  const ObservingLinears& observing_ = dynamic_cast<const ObservingLinears&>(*factory_);
  const LinearWeights weights_{at::randn({48, 64}), at::randn({48})};
};

TEST_P(MeasuredLinears, ComputeNothingUntilTheyAreSettled) {
  const auto plain = factory_->make(weights_);
  const auto active = factory_->make({weights_.weight, {}});
  const auto adding = factory_->make(weights_);
  const at::Tensor input = at::randn({2, 5, 64});
  const at::Tensor residual = at::randn({2, 5, 48});
  const at::Tensor expected = at::linear(input, weights_.weight, weights_.bias);
  const at::Tensor activated = at::gelu(at::linear(input, weights_.weight));
  for (const at::Tensor& noted :
       {plain->forward(input), active->activated(input, Activation::kGelu), adding->added(input, residual)}) {
    EXPECT_EQ(noted.sizes(), expected.sizes());
    EXPECT_EQ(noted.abs().max().item<double>(), 0);
  }
  EXPECT_EQ(observing_.settle(nullptr).size(), 3U) << "three kinds of use";
  expect_near(plain->forward(input), expected);
  expect_near(active->activated(input, Activation::kGelu), activated);
  expect_near(adding->added(input, residual), expected + residual);
}

TEST_P(MeasuredLinears, TryEachSizeOnce) {
  const auto first = factory_->make(weights_);
  const auto second = factory_->make({at::randn({48, 64}), at::randn({48})});
  const auto other = factory_->make({at::randn({64, 48}), {}});
  first->forward(at::randn({10, 64}));
  second->forward(at::randn({10, 64}));
  other->forward(at::randn({10, 48}));
  const std::vector<SettledProduct> products = observing_.settle(nullptr);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_EQ(products[0].choice.size.outputs, 48);
  EXPECT_EQ(products[0].layers, 2);
  EXPECT_THAT(products[0].choice.size.uses, ElementsAre(ProductUse{10, ""}));
  EXPECT_EQ(products[1].layers, 1);
  for (const KernelTrial& trial : products[0].choice.trials) EXPECT_THAT(trial.refusal, IsEmpty()) << trial.name;
}

TEST_P(MeasuredLinears, ServeSeveralNumbersOfRowsWithoutMkl) {
  const auto kernel = factory_->make(weights_);
  for (const std::int64_t rows : {3, 7}) kernel->forward(at::randn({rows, 64}));
  const std::vector<SettledProduct> products = observing_.settle(nullptr);
  ASSERT_EQ(products.size(), 1U);
  EXPECT_THAT(products[0].choice.size.uses, ElementsAre(ProductUse{3, ""}, ProductUse{7, ""}));
  EXPECT_EQ(products[0].choice.trials.size(), 2U) << "its packed form is for one number of rows";
  const at::Tensor input = at::randn({5, 64});
  expect_near(kernel->forward(input), at::linear(input, weights_.weight, weights_.bias));
}

TEST_P(MeasuredLinears, NeedNoTrialWhereNothingWasAsked) {
  const auto kernel = factory_->make(weights_);
  const std::vector<SettledProduct> products = observing_.settle(nullptr);
  ASSERT_EQ(products.size(), 1U);
  EXPECT_THAT(products[0].choice.trials, IsEmpty());
  const at::Tensor input = at::randn({5, 64});
  expect_near(kernel->forward(input), at::linear(input, weights_.weight, weights_.bias));
}

// Whatever it is: that it was fastest is another process's word.
TEST_P(MeasuredLinears, TakeWhatAnotherProcessChose) {
  const TemporaryDirectory folder;
  const at::Tensor input = at::randn({10, 64});
  const at::Tensor expected = at::linear(input, weights_.weight, weights_.bias);
  factory_->make(weights_)->forward(input);
  ProductChoice chosen = observing_.settle(nullptr).at(0).choice;
  EXPECT_THAT(chosen.tried_at, HasSubstr("Z"));
  chosen.is_steady = true;
  KeptProducts kept(folder.path(), "machine", "runtime");
  for (const char* kernel : {"linear", "onednn_prepacked", "mkl_prepacked"}) {
    SCOPED_TRACE(kernel);
    chosen.kernel = kernel;
    kept.keep({chosen});
    const auto layer = factory_->make(weights_);
    layer->forward(input);
    const std::vector<SettledProduct> products = observing_.settle(&kept);
    EXPECT_TRUE(products.at(0).was_kept);
    EXPECT_EQ(products[0].choice.kernel, kernel);
    EXPECT_EQ(products[0].layers, 1);
    expect_near(layer->forward(input), expected);
  }
  chosen.kernel = "of another build";
  kept.keep({chosen});
  factory_->make(weights_)->forward(input);
  EXPECT_FALSE(observing_.settle(&kept).at(0).was_kept) << "tried anew";
  const auto trial = measured_linears(GetParam(), "trial");
  chosen.kernel = "linear";
  kept.keep({chosen});
  trial->make(weights_)->forward(input);
  EXPECT_FALSE(dynamic_cast<const ObservingLinears&>(*trial).settle(&kept).at(0).was_kept);
}

INSTANTIATE_TEST_SUITE_P(Fused, MeasuredLinears, testing::Bool());

TEST(MklLinears, AreTakenWithoutTrial) {
  const c10::InferenceMode guard;
  const auto factory = measured_linears(true, "mkl");
  const auto* observing = dynamic_cast<const ObservingLinears*>(factory.get());
  const LinearWeights weights{at::randn({48, 64}), at::randn({48})};
  const auto one = factory->make(weights);
  const auto unasked = factory->make(weights);
  const at::Tensor input = at::randn({10, 64});
  one->forward(input);
  const std::vector<SettledProduct> products = observing->settle(nullptr);
  ASSERT_EQ(products.size(), 2U) << "one was not asked";
  EXPECT_EQ(products[0].choice.kernel, "mkl_prepacked");
  EXPECT_THAT(products[0].choice.trials, IsEmpty());
  EXPECT_LE((one->forward(input) - at::linear(input, weights.weight, weights.bias)).abs().max().item<double>(), 1e-4);
  const auto again = factory->make(weights);
  for (const std::int64_t rows : {3, 7}) again->forward(at::randn({rows, 64}));
  EXPECT_THROW(observing->settle(nullptr), Error);
}

// Every kernel that may be chosen, whatever is fastest here.
TEST(LinearCandidates, ComputeTheSame) {
  const c10::InferenceMode guard;
  const LinearWeights weights{at::randn({48, 64}), at::randn({48})};
  const at::Tensor input = at::randn({10, 64});
  const at::Tensor residual = at::randn({10, 48});
  const at::Tensor expected = at::linear(input, weights.weight, weights.bias);
  for (const bool fused : {false, true}) {
    for (const auto& kernel : {prepacked_linears(fused)->make(weights), mkl_linear(weights, 10, fused)}) {
      EXPECT_LE((kernel->forward(input) - expected).abs().max().item<double>(), 1e-4);
      EXPECT_LE((kernel->added(input, residual) - expected - residual).abs().max().item<double>(), 1e-4);
      EXPECT_LE((kernel->activated(input, Activation::kGelu) - at::gelu(expected)).abs().max().item<double>(), 1e-4);
    }
  }
}

at::Tensor narrow(const at::Tensor& values) {
  return values.to(at::kBFloat16);
}

// Of values of bf16, in fp64; one rounding to bf16 is allowed.
void expect_rounded(const at::Tensor& output, const at::Tensor& expected) {
  ASSERT_EQ(output.scalar_type(), at::kBFloat16);
  ASSERT_EQ(output.sizes(), expected.sizes());
  const at::Tensor bound = expected.abs() * std::ldexp(1.0, -8) + 1e-4;
  EXPECT_TRUE((output.to(at::kDouble) - expected).abs().le(bound).all().item<bool>());
}

struct NarrowProduct {
  LinearWeights weights{narrow(at::randn({48, 64})), narrow(at::randn({48}))};
  at::Tensor input, residual, expected;

  explicit NarrowProduct(at::DimVector sizes) {
    sizes.push_back(64);
    input = narrow(at::randn(sizes));
    sizes.back() = 48;
    residual = narrow(at::randn(sizes));
    expected = at::linear(input.to(at::kDouble), weights.weight.to(at::kDouble), weights.bias.to(at::kDouble));
  }
};

TEST(WidenedLinears, RoundOnce) {
  const c10::InferenceMode guard;
  for (const at::DimVector& sizes : {at::DimVector{2, 5}, at::DimVector{2500}, at::DimVector{0}}) {
    const NarrowProduct product(sizes);
    for (const WideProduct by : {WideProduct::kLibTorch, WideProduct::kOneDnn}) {
      const auto kernel = widened_linear(product.weights, by, true);
      expect_rounded(kernel->forward(product.input), product.expected);
      expect_rounded(kernel->added(product.input, product.residual),
                     product.expected + product.residual.to(at::kDouble));
      expect_rounded(kernel->activated(product.input, Activation::kGelu), at::gelu(product.expected));
      EXPECT_EQ(kernel->own_bytes(), 0);
    }
  }
}

TEST(WidenedLinears, TakeLargeWeightsInBlocks) {
  const c10::InferenceMode guard;
  constexpr std::int64_t kInputs = 4096, kOutputs = 1500;
  const LinearWeights weights{narrow(at::randn({kOutputs, kInputs})), narrow(at::randn({kOutputs}))};
  const at::Tensor input = narrow(at::randn({3, kInputs}));
  const at::Tensor expected =
      at::linear(input.to(at::kDouble), weights.weight.to(at::kDouble), weights.bias.to(at::kDouble));
  expect_rounded(widened_linear(weights, WideProduct::kLibTorch, true)->forward(input), expected);
  EXPECT_LT(widened_scratch(3, kInputs, kOutputs), 4.0 * kInputs * kOutputs) << "not all at a time";
}

TEST(WidenedLinears, RoundEachStepWhereNothingIsFused) {
  const c10::InferenceMode guard;
  const NarrowProduct product({10});
  const auto kernel = widened_linear(product.weights, WideProduct::kLibTorch, false);
  EXPECT_TRUE(kernel->added(product.input, product.residual).equal(kernel->forward(product.input) + product.residual));
}

// Every kernel that may be chosen for bf16, whatever is fastest here; of batches of any size.
TEST(NarrowCandidates, ComputeTheSame) {
  const c10::InferenceMode guard;
  const NarrowProduct product({10});
  const TemporaryDirectory folder;
  KeptProducts kept(folder.path(), "machine", "runtime");
  const auto factory = measured_linears(true, "auto");
  const auto& observing = dynamic_cast<const ObservingLinears&>(*factory);
  factory->make(product.weights)->forward(product.input);
  ProductChoice chosen = observing.settle(nullptr).at(0).choice;
  EXPECT_EQ(chosen.size.precision, "bf16");
  EXPECT_EQ(chosen.trials.size(), 4U);
  chosen.is_steady = true;
  for (const KernelTrial& trial : chosen.trials) {
    SCOPED_TRACE(trial.name);
    if (!has_one_dnn_bf16() && trial.name == "onednn_prepacked") continue;
    EXPECT_THAT(trial.refusal, IsEmpty());
    chosen.kernel = trial.name;
    kept.keep({chosen});
    const auto layer = factory->make(product.weights);
    layer->forward(product.input);
    const std::vector<SettledProduct> products = observing.settle(&kept);
    EXPECT_TRUE(products.at(0).was_kept);
    EXPECT_EQ(products[0].choice.kernel, trial.name);
    expect_rounded(layer->forward(product.input), product.expected);
    const NarrowProduct other({3, 7});
    expect_rounded(layer->forward(other.input),
                   at::linear(other.input.to(at::kDouble), product.weights.weight.to(at::kDouble),
                              product.weights.bias.to(at::kDouble)));
  }
}

std::string kernel_of(const LinearKernel& kernel, std::int64_t rows) {
  const KernelProbe probe;
  kernel.forward(narrow(at::randn({rows, 64})));
  return probe.linear_kernel();
}

// Of weights as they are: none of the kernels keeps a copy.
TEST(PlainNarrowLinears, HaveAKernelForEachNumberOfRows) {
  const c10::InferenceMode guard;
  const TemporaryDirectory folder;
  KeptProducts kept(folder.path(), "machine", "runtime");
  const auto factory = measured_plain_linears("auto");
  const auto& observing = dynamic_cast<const ObservingLinears&>(*factory);
  const NarrowProduct prompt({128}), step({1});
  const auto ask = [&] {
    const auto layer = factory->make(prompt.weights);
    EXPECT_EQ(layer->forward(prompt.input).abs().max().item<double>(), 0) << "nothing is computed yet";
    layer->forward(step.input);
    return layer;
  };
  ask();
  std::vector<ProductChoice> chosen;
  for (const SettledProduct& product : observing.settle(nullptr)) {
    EXPECT_EQ(product.layers, 1);
    EXPECT_TRUE(product.choice.size.has_plain_weights);
    // LibTorch's may be inexact where the processor lacks instructions for bf16, and the others refused for it.
    std::vector<std::string> tried;
    for (const KernelTrial& trial : product.choice.trials) tried.push_back(trial.name);
    EXPECT_THAT(tried, ElementsAre("linear", "widened", "widened_onednn")) << "none with a form of its own";
    chosen.push_back(product.choice);
  }
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_THAT(chosen[0].size.uses, ElementsAre(ProductUse{1, ""}));
  EXPECT_THAT(chosen[1].size.uses, ElementsAre(ProductUse{128, ""}));
  for (ProductChoice& one : chosen) one.is_steady = true;
  chosen[0].kernel = "linear";
  chosen[1].kernel = "widened_onednn";
  kept.keep(chosen);
  const auto layer = ask();
  for (const SettledProduct& product : observing.settle(&kept)) EXPECT_TRUE(product.was_kept);
  EXPECT_EQ(layer->own_bytes(), 0);
  EXPECT_FALSE(layer->form().prepacked);
  for (const std::int64_t rows : {1, 11}) EXPECT_EQ(kernel_of(*layer, rows), "linear") << rows;
  for (const std::int64_t rows : {12, 120, 1000}) EXPECT_EQ(kernel_of(*layer, rows), "widened_onednn") << rows;
  expect_rounded(layer->forward(prompt.input), prompt.expected);
}

// A choice among other kernels is none of theirs.
TEST(PlainNarrowLinears, TakeNoChoiceOfPrepackedOnes) {
  const c10::InferenceMode guard;
  const TemporaryDirectory folder;
  KeptProducts kept(folder.path(), "machine", "runtime");
  const NarrowProduct product({10});
  const auto settled = [&](const std::shared_ptr<const LinearFactory>& factory) {
    factory->make(product.weights)->forward(product.input);
    return dynamic_cast<const ObservingLinears&>(*factory).settle(&kept).at(0);
  };
  ProductChoice prepacked = settled(measured_linears(true, "auto")).choice;
  prepacked.is_steady = true;
  prepacked.kernel = "widened";
  kept.keep({prepacked});
  EXPECT_FALSE(settled(measured_plain_linears("auto")).was_kept);
  EXPECT_TRUE(settled(measured_linears(true, "auto")).was_kept);
}

TEST(PlainNarrowLinears, AreOfFusedRequestsInBf16) {
  const LinearOptions request{.precision = "bf16", .fused = true, .is_tried = true, .decodes = true};
  const auto changed = [&](auto change) {
    LinearOptions options = request;
    change(options);
    return chooses_kernels(options);
  };
  EXPECT_TRUE(chooses_kernels(request));
  EXPECT_TRUE(changed([](LinearOptions& options) { options.kernel = "trial"; }));
  EXPECT_FALSE(changed([](LinearOptions& options) { options.kernel = "onednn"; }));
  EXPECT_FALSE(changed([](LinearOptions& options) { options.precision = "fp32"; }));
  EXPECT_FALSE(changed([](LinearOptions& options) { options.fused = false; }));
  EXPECT_FALSE(changed([](LinearOptions& options) { options.prepacked = true; }));
  EXPECT_FALSE(changed([](LinearOptions& options) { options.decodes = false; }));
}

TEST(NarrowCandidates, AreReadBack) {
  const c10::InferenceMode guard;
  const NarrowProduct product({10});
  const KernelProbe probe;
  widened_linear(product.weights, WideProduct::kOneDnn, true)->forward(product.input);
  EXPECT_EQ(probe.linear_kernel(), "widened_onednn");
  ASSERT_EQ(probe.linear_types().size(), 1U);
  EXPECT_EQ(probe.linear_types()[0].input, "bf16");
  EXPECT_EQ(probe.linear_types()[0].weight, "bf16");
  EXPECT_EQ(probe.linear_flops(), 2.0 * 10 * 64 * 48);
}

}  // namespace
}  // namespace transformeter
