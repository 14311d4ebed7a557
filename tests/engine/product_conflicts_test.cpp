// Which products and kernels of attention cannot be asked for, and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "engine/capabilities.h"
#include "engine/one_dnn_support.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

// A case of engine `fast`, but for `changes`.
std::optional<std::string> refusal(const Json& changes) {
  Json settings{{"scenario", "batch"}, {"task", "sequence_classification"},
                {"device", "cpu"},     {"precision", "fp32"},
                {"weights", "plain"},  {"fusion", "fused"},
                {"one_dnn", "on"},     {"deterministic", "off"},
                {"products", "auto"}};
  if (changes.value("scenario", "batch") != "train") settings["weights"] = "prepacked";
  settings.update(changes);
  return inference_capabilities().why_not_together(settings);
}

TEST(ProductConflicts, OfForwardPasses) {
  for (const char* products : {"auto", "trial", "onednn", "mkl"}) {
    SCOPED_TRACE(products);
    EXPECT_EQ(refusal({{"products", products}}), std::nullopt);
    if (products == std::string("auto")) continue;
    EXPECT_THAT(refusal({{"products", products}, {"weights", "plain"}}).value_or(""), HasSubstr("weights prepacked"));
    EXPECT_THAT(refusal({{"products", products}, {"weights", "plain"}, {"device", "cuda:0"}}).value_or(""),
                HasSubstr("kernels of the CPU"));
  }
  for (const char* products : {"trial", "mkl"}) {
    EXPECT_THAT(refusal({{"products", products}, {"precision", "int8"}}).value_or(""),
                HasSubstr("fp32 and bf16 alone"));
  }
  EXPECT_THAT(refusal({{"products", "mkl"}, {"precision", "bf16"}}).value_or(""), HasSubstr("for fp32"));
  if (has_one_dnn_bf16()) {
    EXPECT_EQ(refusal({{"products", "trial"}, {"precision", "bf16"}}), std::nullopt);
  }
}

TEST(ProductConflicts, OfRequests) {
  const auto request = [](Json changes) {
    Json settings{{"scenario", "generate"}, {"weights", "plain"}, {"precision", "bf16"}, {"task", "causal_lm"}};
    settings.update(changes);
    return refusal(settings);
  };
  for (const char* products : {"auto", "trial", "onednn"}) {
    SCOPED_TRACE(products);
    EXPECT_EQ(request({{"products", products}}), std::nullopt);
    const bool is_auto = products == std::string("auto");
    for (const auto& [setting, value] : {std::pair("fusion", "none"), {"one_dnn", "off"}, {"precision", "fp32"}}) {
      EXPECT_EQ(request({{"products", products}, {setting, value}}).has_value(), !is_auto) << setting;
    }
  }
  EXPECT_THAT(request({{"products", "mkl"}, {"precision", "fp32"}}).value_or(""), HasSubstr("one number of rows"));
  EXPECT_THAT(request({{"products", "trial"}, {"precision", "fp32"}}).value_or(""),
              HasSubstr("only in bf16; use auto"));
  EXPECT_THAT(request({{"products", "trial"}, {"one_dnn", "off"}}).value_or(""), HasSubstr("need one_dnn on"));
  EXPECT_THAT(request({{"products", "trial"}, {"weights", "prepacked"}, {"precision", "fp32"}}).value_or(""),
              HasSubstr("only with weights plain"));
  EXPECT_THAT(request({{"products", "trial"}, {"device", "cuda:0"}}).value_or(""), HasSubstr("kernels of the CPU"));
}

TEST(AttentionConflicts, OfOurOwnKernel) {
  for (const char* attention : {"tiled", "trial"}) {
    EXPECT_EQ(refusal({{"attention", attention}, {"precision", "bf16"}, {"weights", "plain"}}), std::nullopt);
    EXPECT_THAT(refusal({{"attention", attention}, {"precision", "bf16"}, {"scenario", "train"}}).value_or(""),
                HasSubstr("no backward pass"));
  }
  EXPECT_EQ(refusal({{"attention", "tiled"}}), std::nullopt);
  for (const char* precision : {"fp32", "int8", "int8_static"}) {
    EXPECT_THAT(refusal({{"attention", "trial"}, {"precision", precision}}).value_or(""), HasSubstr("16-bit formats"));
  }
}

TEST(ProductConflicts, OfTraining) {
  const auto train = [](Json changes) {
    changes["scenario"] = "train";
    return refusal(changes);
  };
  EXPECT_THAT(train({{"products", "mkl"}}).value_or(""), HasSubstr("packs weights"));
  for (const char* products : {"auto", "trial", "onednn"}) {
    SCOPED_TRACE(products);
    EXPECT_EQ(train({{"products", products}}), std::nullopt);
    const bool is_auto = products == std::string("auto");
    for (const auto& [setting, value] : {std::pair("fusion", "none"), {"one_dnn", "off"}, {"deterministic", "on"}}) {
      EXPECT_EQ(train({{"products", products}, {setting, value}}).has_value(), !is_auto) << setting;
    }
    EXPECT_EQ(train({{"products", products}, {"precision", "bf16_autocast"}}), std::nullopt);
  }
}

TEST(EngineChoices, OfFastPackInt8ButForDecoding) {
  const auto weights = [](const char* precision, const char* scenario) {
    return inference_capabilities().choice_of_engine(
        "weights", {{"engine", "fast"}, {"precision", precision}, {"scenario", scenario}, {"device", "cpu"}});
  };
  EXPECT_EQ(weights("int8", "batch"), "prepacked");
  EXPECT_EQ(weights("int8", "generate"), "plain");
  EXPECT_EQ(weights("int8_weight_only", "batch"), "plain");
  EXPECT_EQ(weights("int8_static", "batch"), "prepacked");
}

TEST(EngineChoices, OfFastKeepMemoryButForTrainingsWithProductsInBf16) {
  const auto choice = [](const char* setting, const char* precision) {
    return inference_capabilities().choice_of_engine(
        setting, {{"engine", "fast"}, {"precision", precision}, {"scenario", "train"}, {"device", "cpu"}});
  };
  EXPECT_EQ(choice("allocator", "fp32"), "glibc_raised");
  EXPECT_EQ(choice("huge_pages", "fp32"), "preferred");
  EXPECT_EQ(choice("allocator", "bf16_autocast"), "glibc");
  EXPECT_EQ(choice("huge_pages", "bf16_autocast"), "system");
}

}  // namespace
}  // namespace transformeter
