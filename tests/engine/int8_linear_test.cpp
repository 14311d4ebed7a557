// Products with weights in int8 against the same product of the weights as they are read back.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>

#include "engine/linear_factories.h"
#include "model/int8_channels.h"

namespace transformeter {
namespace {

// 24 and 312 are widths of published small models, and no multiples of what a kernel reads at a time.
TEST(WeightOnlyInt8, TakesAnyNumberOfInputs) {
  for (const std::int64_t inputs : {16, 24, 48, 312}) {
    for (const std::int64_t rows : {1, 3, 40}) {
      SCOPED_TRACE(inputs * 1000 + rows);
      const LinearWeights weights{at::randn({20, inputs}), at::randn({20})};
      const Int8Channels bytes = quantize_channels(weights.weight);
      const at::Tensor read_back = bytes.values.to(at::kFloat) * bytes.scales.unsqueeze(1);
      const at::Tensor input = at::randn({rows, inputs}).to(at::kBFloat16);
      const at::Tensor expected = at::linear(input.to(at::kFloat), read_back, weights.bias);
      const auto kernel = make_linears({"int8_weight_only", false, false})
                              ->make({weights.weight.to(at::kBFloat16), weights.bias.to(at::kBFloat16)});
      const at::Tensor output = kernel->forward(input).to(at::kFloat);
      EXPECT_LE((output - expected).abs().max().item<float>(), 0.03F * expected.abs().max().item<float>());
    }
  }
}

}  // namespace
}  // namespace transformeter
