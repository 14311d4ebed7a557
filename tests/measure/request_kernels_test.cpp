// Products of requests in bf16: where their kernels are tried, and what the forecast of memory makes of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/linear_factories.h"
#include "engine/widened_linear.h"
#include "measure/loaded_model.h"
#include "measure/parts.h"
#include "measure/pass_forecast.h"

namespace transformeter {
namespace {

class RequestKernels : public testing::Test {
 protected:
  RequestKernels() {
    request_.model = "smollm2-135m";
    request_.task = Task::kCausalLm;
    request_.scenario = Scenario::kGenerate;
    request_.data = "synthetic";
    request_.prompt_length = 3;
    request_.new_tokens = 2;
    request_.engine = "fast";
    request_.precision = "bf16";
    request_.attention = "sdpa";
    request_.fused = true;
    request_.threads = 1;
  }
  PassForecast forecast(const std::function<std::string(const ProductSize& size)>& kernel_for) const {
    const CycleShape cycle{.batches = {{.lengths = {3}, .sequence_length = 3}}, .beside = {}};
    ProductChoice choice;
    return forecast_passes(request_, model_config_of(request_, parts_, {}), cycle, parts_,
                           [&](const ProductSize& size) {
                             choice.kernel = kernel_for(size);
                             return &choice;
                           })
        .value();
  }

  Case request_;
  const WorkerParts parts_ = builtin_parts();
};

TEST_F(RequestKernels, AreTriedOnTheCpuWithOneDnn) {
  EXPECT_TRUE(chooses_by_rows(linear_options(request_)));
  Case other = request_;
  other.device = "cuda:0";
  EXPECT_FALSE(chooses_kernels(linear_options(other)));
  other = request_;
  other.one_dnn = false;
  EXPECT_FALSE(chooses_kernels(linear_options(other)));
  other = request_;
  other.data.clear();
  EXPECT_FALSE(chooses_kernels(linear_options(other))) << "to predict";
}

// 4 bytes for each of the weights, 3.5 MB, beside which a prompt of three tokens is small.
TEST_F(RequestKernels, OfAStepCountWhereThoseOfThePromptNeedLess) {
  constexpr std::int64_t kInner = 1536, kHidden = 576;
  const auto linear = [](const ProductSize&) { return "linear"; };
  const auto widened_for = [](std::int64_t rows) {
    return [rows](const ProductSize& size) {
      return size.inputs == kInner && size.uses.front().rows == rows ? "widened" : "linear";
    };
  };
  const double plain = forecast(linear).activations;
  const double scratch = widened_scratch(1, kInner, kHidden);
  ASSERT_GT(scratch, 4.0 * kInner * kHidden);
  ASSERT_GT(scratch, 2 * plain);
  const PassForecast step = forecast(widened_for(1));
  EXPECT_GT(step.activations, scratch);
  EXPECT_LT(step.activations, scratch + plain) << "a pass over one token instead of three";
  EXPECT_TRUE(step.kernels_are_known);
  EXPECT_GT(forecast(widened_for(3)).activations, scratch);
  request_.new_tokens = 1;
  EXPECT_EQ(forecast(widened_for(1)).activations, forecast(linear).activations) << "no step";
}

}  // namespace
}  // namespace transformeter
