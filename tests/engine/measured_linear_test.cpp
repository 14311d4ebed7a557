// Products whose kernel is chosen by trials, against LibTorch's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "engine/linear_factories.h"
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

}  // namespace
}  // namespace transformeter
