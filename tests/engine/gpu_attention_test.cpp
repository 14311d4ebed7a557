// What CUDA's kernels are asked for: they stand here for the CPU, and note it.
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <optional>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "engine/gpu_operators.h"
#include "engine/operators.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

struct Asked {
  bool keeps_softmax = false;
  c10::ScalarType query{};
  c10::ScalarType mask{};
};
Asked asked;

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const std::optional<at::Tensor>& bias, bool keeps_softmax) {
  asked = {keeps_softmax, query.scalar_type(), bias ? bias->scalar_type() : c10::ScalarType::Undefined};
  return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, bias));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> memory_efficient(
    const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const std::optional<at::Tensor>& bias,
    bool compute_log_sumexp, double, bool, std::optional<double>) {
  const at::Tensor none = at::empty({0});
  return {attend(query, key, value, bias, compute_log_sumexp), none, none, none};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor, at::Tensor>
cudnn(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const std::optional<at::Tensor>& bias,
      bool compute_log_sumexp, double, bool, bool, std::optional<double>) {
  const at::Tensor none = at::empty({0});
  return {attend(query, key, value, bias, compute_log_sumexp), none, none, none, 0, 0, none, none, none};
}

class GpuAttention : public testing::TestWithParam<const char*> {
 protected:
  GpuAttention() {
    inputs_.query = at::randn({1, 2, 3, 8});
    inputs_.key = at::randn({1, 2, 3, 8});
    inputs_.value = at::randn({1, 2, 3, 8});
    inputs_.mask = at::zeros({1, 1, 1, 3});
  }
  void attend() { make_gpu_operators(GetParam())->attention(inputs_); }

  AttentionInputs inputs_;
};

// Not only with dropout, which few decoders have.
TEST_P(GpuAttention, KeepsWhatTheBackwardPassReads) {
  attend();
  EXPECT_FALSE(asked.keeps_softmax);
  inputs_.value.requires_grad_();
  attend();
  EXPECT_TRUE(asked.keeps_softmax);
}

TEST_P(GpuAttention, IsInOneTypeUnderAutocast) {
  const Autocast autocast(c10::kCPU, at::kBFloat16);
  attend();
  EXPECT_EQ(asked.query, at::kBFloat16);
  EXPECT_EQ(asked.mask, at::kBFloat16);
}

TEST_P(GpuAttention, AddsAMaskOfEachHead) {
  inputs_.mask = at::randn({1, 2, 3, 3});
  const at::Tensor expected = make_operators("eager")->attention(inputs_);
  EXPECT_TRUE(at::allclose(make_gpu_operators(GetParam())->attention(inputs_), expected, 1e-4, 1e-5));
}

// ATen has a derivative of memory_efficient's bias alone.
TEST_P(GpuAttention, TrainsRelativePositionsWhereTheyHaveAGradient) {
  inputs_.mask_learns = true;
  if (std::string_view(GetParam()) == "cudnn") {
    EXPECT_THROW(attend(), Error);
  } else {
    EXPECT_NO_THROW(attend());
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuAttention, testing::Values("memory_efficient", "cudnn"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace transformeter

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("_scaled_dot_product_efficient_attention", transformeter::memory_efficient);
  library.impl("_scaled_dot_product_cudnn_attention", transformeter::cudnn);
}
