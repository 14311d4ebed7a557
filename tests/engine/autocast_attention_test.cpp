// Attention kernels under automatic casting, where a mask and normed queries are fp32 and values are not.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/operators.h"
#include "engine/plain_operators.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

// Two rows of 5 tokens, the second with 2 of padding; two heads of queries share one of keys.
AttentionInputs mixed_inputs() {
  AttentionInputs inputs;
  inputs.query = at::randn({2, 2, 5, 8});
  inputs.key = at::randn({2, 1, 5, 8});
  inputs.value = at::randn({2, 1, 5, 8}).to(at::kBFloat16);
  inputs.mask = at::zeros({2, 1, 1, 5});
  inputs.mask.select(0, 1).slice(-1, 3).fill_(std::numeric_limits<float>::lowest());
  return inputs;
}

TEST(AutocastAttention, BringsAllInputsToOneTypeOfFiniteNumbers) {
  const AttentionInputs all = in_type(mixed_inputs(), at::kHalf);
  for (const at::Tensor& tensor : {all.query, all.key, all.value, all.mask}) {
    EXPECT_EQ(tensor.scalar_type(), at::kHalf);
    EXPECT_TRUE(at::isfinite(tensor).all().item<bool>());
  }
}

TEST(AutocastAttention, IsOneOperatorWithNothingCastWithin) {
  const AttentionInputs inputs = mixed_inputs();
  const auto types = [&] {
    std::string seen;
    as_one_operator(inputs, [&](const AttentionInputs& all) {
      seen = std::string(toString(all.query.scalar_type())) + toString(all.mask.scalar_type()) +
             (autocast_type(c10::kCPU) ? " cast" : "");
      return all.query;
    });
    return seen;
  };
  EXPECT_EQ(types(), "FloatFloat");
  const Autocast autocast(c10::kCPU, at::kBFloat16);
  EXPECT_EQ(types(), "BFloat16BFloat16");
  EXPECT_EQ(autocast_type(c10::kCPU), at::kBFloat16) << "on again";
}

TEST(AutocastAttention, OfEachKernelIsThatOfLibTorchsChoice) {
  AttentionInputs inputs = mixed_inputs();
  const at::Tensor weights = at::randn({2, 2, 5, 8});
  const Autocast autocast(c10::kCPU, at::kBFloat16);
  // The context, and the gradients of query, key and value.
  const auto results_of = [&](const char* kernel) {
    std::vector<at::Tensor> results;
    for (at::Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) {
      *tensor = tensor->detach().requires_grad_();
    }
    results.push_back(make_operators(kernel, false, false)->attention(inputs));
    (results[0] * weights).sum().backward();
    for (const at::Tensor& tensor : {inputs.query, inputs.key, inputs.value}) results.push_back(tensor.grad());
    return results;
  };
  const std::vector<at::Tensor> expected = results_of("sdpa");
  for (const char* kernel : {"math", "flash", "eager"}) {
    const std::vector<at::Tensor> results = results_of(kernel);
    EXPECT_EQ(results[0].scalar_type(), at::kBFloat16) << kernel;
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(at::allclose(results[i].to(at::kFloat), expected[i].to(at::kFloat), 0.05, 0.05))
          << kernel << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace transformeter
