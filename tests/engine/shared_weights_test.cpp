// Layers that share weights, as ALBERT's do, keep one form of them.
#include <gtest/gtest.h>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>

#include <set>
#include <vector>

#include "device/counting_allocator.h"
#include "engine/linear_factories.h"
#include "model/parameters.h"

namespace transformeter {
namespace {

constexpr std::int64_t kIn = 256, kOut = 512;

class SharedWeights : public testing::Test {
 protected:
  SharedWeights() {
    for (const LinearSpec& spec : specs_) {
      parameters_.add(spec.weight, at::randn({kOut, kIn}));
      parameters_.add(spec.bias, at::randn({kOut}));
    }
    weight_bytes_ = parameters_.bytes();
  }

  void expect_as_plain(const LinearKernel& joined) const {
    const at::Tensor output = joined.forward(input_);
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const at::Tensor expected = at::linear(input_, weights_.at(specs_[i].weight), weights_.at(specs_[i].bias));
      const at::Tensor part =
          output.slice(1, static_cast<std::int64_t>(i) * kOut, static_cast<std::int64_t>(i + 1) * kOut);
      EXPECT_LE((part - expected).abs().max().item<double>(), 1e-3);
    }
  }

  const c10::InferenceMode guard_;
  const std::vector<LinearSpec> specs_{linear_spec("query", kIn, kOut), linear_spec("key", kIn, kOut)};
  Parameters parameters_;
  Parameters weights_;  // as they were
  std::int64_t weight_bytes_ = 0;
  const at::Tensor input_ = at::randn({8, kIn});
};

TEST_F(SharedWeights, HaveOneKernel) {
  weights_ = parameters_;
  parameters_.use_linears(prepacked_linears(true));
  const auto first = parameters_.linears(specs_);
  const auto second = parameters_.linears(specs_);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front(), second.front());
  EXPECT_EQ(parameters_.bytes(), weight_bytes_);
  expect_as_plain(*second.front());
  EXPECT_NE(parameters_.linear(specs_[0]), parameters_.linear(specs_[1]));
}

TEST_F(SharedWeights, HaveOneFormWhereEachLayerHasAKernel) {
  if (!at::hasMKL()) GTEST_SKIP() << "no MKL";
  install_counting_allocator();
  weights_ = parameters_;
  const auto settled_bytes = [&](int layers) {
    const std::int64_t before = allocated_bytes();
    const auto factory = measured_linears(true, "mkl");
    Parameters parameters = parameters_;
    parameters.use_linears(factory);
    std::vector<std::shared_ptr<const LinearKernel>> kernels;
    for (int i = 0; i < layers; ++i) kernels.push_back(parameters.linears(specs_).front());
    for (const auto& kernel : kernels) kernel->forward(input_);
    EXPECT_EQ(std::set(kernels.begin(), kernels.end()).size(), kernels.size()) << "each notes what its layer asks for";
    EXPECT_EQ(parameters.bytes(), weight_bytes_);
    parameters.release();
    dynamic_cast<const ObservingLinears&>(*factory).settle(nullptr);
    for (const auto& kernel : kernels) expect_as_plain(*kernel);
    return allocated_bytes() - before;
  };
  const std::int64_t of_one = settled_bytes(1);
  EXPECT_GE(of_one, kIn * kOut * 4 * 2);
  EXPECT_NEAR(static_cast<double>(settled_bytes(3)), static_cast<double>(of_one), 0.1 * static_cast<double>(of_one));
}

TEST_F(SharedWeights, HaveAFormForEachRangeInInt8) {
  parameters_.use_linears(make_linears({.precision = "int8_static", .prepacked = true, .fused = true}));
  parameters_.linears(specs_);
  const std::int64_t one = parameters_.bytes();
  parameters_.linears(specs_);
  EXPECT_GT(parameters_.bytes(), one);
}

}  // namespace
}  // namespace transformeter
