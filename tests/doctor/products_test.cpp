// What `doctor` says of kernels of matrix products.
#include "doctor/products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/peak.h"

namespace transformeter {
namespace {

TEST(Products, OfAPeakSayHowFarOtherKernelsAreBehind) {
  Peak peak;
  peak.quantity = gemm_peak("fp32");
  peak.points = {{"linear", {128, 64, 64}, 90e9},
                 {"linear_prepacked", {128, 64, 64}, 150e9},
                 {"linear", {512, 64, 64}, 100e9},
                 {"linear_prepacked", {512, 64, 64}, 200e9},
                 {"linear_mkl_prepacked", {512, 64, 64}, 160e9}};
  peak.best = peak.points[3];
  const Check one = judge_products(peak, 2);
  EXPECT_EQ(one.level, CheckLevel::kOk);
  EXPECT_EQ(one.state,
            "oneDNN's packed 200 GFLOP/s with 2 threads; MKL's packed 1.25 times slower; LibTorch's plain 2.00 times "
            "slower");
  peak = {};
  peak.reason = "no worker";
  EXPECT_EQ(judge_products(peak, 2).level, CheckLevel::kLimited);
  EXPECT_EQ(judge_products(peak, 2).state, "not measured: no worker");
}

ProductChoice choice(std::int64_t rows, std::string kernel, std::vector<KernelTrial> trials, std::string tried_at) {
  ProductChoice one;
  one.size.uses = {{rows, ""}};
  one.kernel = std::move(kernel);
  one.trials = std::move(trials);
  one.tried_at = std::move(tried_at);
  return one;
}

TEST(Products, OfTrialsSayHowOftenEachKernelWonAndHowFarItWasBehind) {
  EXPECT_EQ(check_products({}).state, "no kernels tried yet");
  const std::vector<ProductChoice> kept{
      choice(128, "onednn_prepacked", {{"linear", 3, ""}, {"onednn_prepacked", 2, ""}, {"mkl_prepacked", 2.5, ""}},
             "1"),
      choice(256, "mkl_prepacked", {{"linear", 8, ""}, {"onednn_prepacked", 4.2, ""}, {"mkl_prepacked", 4, ""}}, "2"),
      choice(512, "onednn_prepacked", {{"linear", 9, ""}, {"onednn_prepacked", 9, ""}, {"mkl_prepacked", 0, "wrong"}},
             "3")};
  const Check one = check_products(kept);
  EXPECT_EQ(one.level, CheckLevel::kOk);
  EXPECT_EQ(
      one.state,
      "fp32: oneDNN's packed chosen for 2 of 3 sizes, else 1.05 times as long (median); MKL's packed chosen for 1 of 2 "
      "sizes, else 1.25 times as long (median); LibTorch's plain chosen for 0 of 3 sizes, else 1.50 times as long "
      "(median)");
  ProductChoice narrow = choice(128, "widened", {{"linear", 3, ""}, {"widened", 2, ""}}, "4");
  narrow.size.precision = "bf16";
  EXPECT_EQ(check_products({narrow}).state,
            "bf16: LibTorch's in fp32 chosen for 1 of 1 size; LibTorch's plain chosen for 0 of 1 size, else 1.50 times "
            "as long (median)");
  EXPECT_THAT(check_products({kept[0], narrow}).state,
              testing::AllOf(testing::StartsWith("fp32: "), testing::HasSubstr(". bf16: ")));
  EXPECT_THAT(check_products({choice(1, "linear", {{"linear", 2.04, ""}, {"mkl_prepacked", 2, ""}}, "1")}).state,
              testing::EndsWith("MKL's packed chosen for 0 of 1 size, else 1.00 times as long (median)"))
      << "a usual kernel that is hardly behind";
}

TEST(Products, AreThoseOfTheLibrariesThatTriedLast) {
  EXPECT_TRUE(latest_products({}).empty());
  const ProductsByRuntime kept{{"new", {choice(1, "linear", {}, "2026-11-26")}},
                               {"none", {}},
                               {"old", {choice(2, "linear", {}, "2025-11-26"), choice(3, "linear", {}, "2025-12-26")}}};
  ASSERT_EQ(latest_products(kept).size(), 1U);
  EXPECT_EQ(latest_products(kept)[0].size.uses[0].rows, 1);
}

}  // namespace
}  // namespace transformeter
