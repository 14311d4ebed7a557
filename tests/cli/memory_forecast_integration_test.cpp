// What LibTorch allocates in inference and generation, against the forecast.
#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

struct ForecastCase {
  const char* name;
  const char* options;
};

void PrintTo(const ForecastCase& one, std::ostream* out) {
  *out << one.name;
}

class PassForecastOfFamilies : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }
  ShellResult run(const std::string& options) const {
    return shell(
        "$T run --peaks off --store r.db --threads 1 --replicates 1 --slices 1 --reference off --warmup 1 --samples "
        "2 " +
        options);
  }
};

class PassForecast : public PassForecastOfFamilies, public testing::WithParamInterface<ForecastCase> {};

TEST_P(PassForecast, IsNearWhatIsAllocated) {
  const ShellResult result = run(GetParam().options);
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) {
    SCOPED_TRACE(one.requested.dump());
    const auto bytes = [&](const std::string& series) {
      return find_series(one.replicates.at(0).series, series)->value.front();
    };
    EXPECT_NEAR(bytes("peak_allocated_forecast") / bytes("peak_allocated"), 1, 0.1);
    const Json& told = one.effective.at("memory_forecast");
    double sum = 0;
    for (const char* part : {"weight_bytes", "input_bytes", "cache_bytes", "activation_bytes"}) {
      sum += told.at(part).get<double>();
    }
    EXPECT_DOUBLE_EQ(told.at("peak_bytes").get<double>(), sum);
    EXPECT_TRUE(told.at("kernels_known").get<bool>());
    const bool is_generate = one.requested.at("scenario") == "generate";
    EXPECT_EQ(told.at("cache_bytes").get<double>(), is_generate ? bytes("cache_bytes") : 0);
  }
}

constexpr ForecastCase kForecasts[] = {
    {"Encoders",
     "--model bert-mini,distilbert-tiny,electra-small --engine pytorch,fast --precision fp32,bf16 --batch-size 8 "
     "--sequence-length 64"},
    {"SharedWeights", "--model albert-base --engine pytorch,fast --precision fp32 --batch-size 2 --sequence-length 32"},
    {"Decoders",
     "--model gpt2-test,opt-test,llama-test --engine pytorch,fast --precision fp32 --batch-size 2 --sequence-length "
     "64"},
    {"OneRow", "--model bert-mini --engine pytorch,fast --precision fp32 --batch-size 1 --sequence-length 64"},
    {"Attention",
     "--model bert-mini --precision fp32,bf16 --attention eager,math,flash,tiled --batch-size 2 --sequence-length 256"},
    {"Bytes",
     "--model bert-mini,llama-test --engine pytorch,fast --precision int8,int8_static,int8_weight_only --batch-size 4 "
     "--sequence-length 64"},
    {"Tasks",
     "--model bert-mini --task masked_lm,token_classification,question_answering,embedding --engine pytorch,fast "
     "--precision fp32 --batch-size 4 --sequence-length 64"},
    {"Chunks",
     "--model bert-mini --precision fp32 --batching padded,packed --chunk-tokens 128 --batch-size 8 --sequence-length "
     "64"},
    {"NaturalLengths",
     "--model bert-mini --engine pytorch,fast --precision fp32 --batch-size 8 --sequence-length natural --limit 16"},
    {"Requests",
     "--model gpt2-test,opt-test,llama-test --scenario generate --engine pytorch,fast --precision fp32,bf16 "
     "--prompt-length 64 --new-tokens 8"},
};

INSTANTIATE_TEST_SUITE_P(Memory, PassForecast, testing::ValuesIn(kForecasts),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(PassForecastOfFamilies, AModelWithoutAFormulaSaysSo) {
  const ShellResult result = run("--model squeezebert-test --precision fp32 --batch-size 1 --sequence-length 16");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(find_series(one.replicates.at(0).series, "peak_allocated_forecast"), nullptr);
  EXPECT_THAT(one.effective.at("memory_forecast").at("reason").get<std::string>(), HasSubstr("no memory formula"));
}

}  // namespace
}  // namespace transformeter
