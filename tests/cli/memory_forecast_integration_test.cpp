// What LibTorch allocates in inference and generation, against the forecast.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "cli/forecast_case.h"
#include "cli/shell.h"
#include "metrics/case_metrics.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

// Of a product in bf16, which is not forecast: 32 kB where the processor has avx512_bf16 and no AMX. Beside a model of
// a third of a megabyte it shows.
constexpr double kScratchBytes = 40e3;

class PassForecast : public PassForecastOfFamilies, public testing::WithParamInterface<ForecastCase> {};

TEST_P(PassForecast, IsNearWhatIsAllocated) {
  const ShellResult result = run(GetParam().options);
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) {
    SCOPED_TRACE(one.requested.dump());
    const auto bytes = [&](const std::string& series) { return first_value(one, series); };
    const double measured = bytes("peak_allocated");
    const double scratch = one.requested.at("precision") == "bf16" ? kScratchBytes : 0;
    EXPECT_NEAR(bytes("peak_allocated_forecast"), measured, std::max(0.1 * measured, scratch));
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

constexpr ForecastCase kPassForecasts[] = {
    {"Encoders",
     "--model bert-mini,distilbert-tiny,electra-small --engine pytorch,fast --precision fp32,bf16 --batch-size 8 "
     "--sequence-length 64"},
    {"SharedWeights", "--model albert-base --engine pytorch,fast --precision fp32 --batch-size 2 --sequence-length 32"},
    {"Decoders",
     "--model gpt2-test,opt-test,llama-test,phi3-test --engine pytorch,fast --precision fp32 --batch-size 2 "
     "--sequence-length 64"},
    {"Windows", "--model gemma3-test --engine pytorch,fast --precision fp32,bf16 --batch-size 2 --sequence-length 128"},
    {"RelativePositions",
     "--model mpnet-test --engine pytorch,fast --precision fp32,bf16 --padding 0,0.3 --batch-size 4 --sequence-length "
     "128"},
    {"UnscaledScores",
     "--model t5-test --task embedding --engine pytorch,fast --precision fp32,bf16 --padding 0,0.3 --batch-size 4 "
     "--sequence-length 128"},
    {"EncoderAndDecoder",
     "--model t5-test --task seq2seq_lm --engine pytorch,fast --precision fp32,bf16 --padding 0,0.3 --batch-size 4 "
     "--sequence-length 128"},
    {"RequestsOfADecoder",
     "--model t5-test --scenario generate --engine pytorch,fast --precision fp32,bf16 --prompt-length 64 --new-tokens "
     "8"},
    {"Beams",
     "--model t5-test,llama-test --scenario generate --engine pytorch,fast --precision fp32,bf16 --prompt-length 64 "
     "--new-tokens 8 --num-beams 4"},
    {"Convolutions",
     "--model squeezebert-test --engine pytorch,fast --precision fp32,bf16 --attention sdpa,eager,flash --batch-size "
     "1,16 --sequence-length 128"},
    {"Sounds",
     "--model wav2vec2-test --engine pytorch,fast --precision fp32,bf16 --batch-size 1,4 --audio-seconds 1,3"},
    {"Images",
     "--model vit-test,deit-small,clip-test,siglip-test --engine pytorch,fast --precision fp32,bf16 --batch-size 1,4"},
    {"TextTower",
     "--model clip-test,siglip-test --task embedding --engine pytorch,fast --precision fp32,bf16 --batch-size 1,8 "
     "--sequence-length "
     "64"},
    {"NamedClasses",
     "--model clip-test,siglip-test --task zero_shot_image_classification --labels $(seq -s, 1000) --engine "
     "pytorch,fast "
     "--precision fp32,bf16 --batch-size 1,4"},
    {"OneRow", "--model bert-mini --engine pytorch,fast --precision fp32 --batch-size 1 --sequence-length 64"},
    {"Attention",
     "--model bert-mini --precision fp32,bf16 --attention eager,math,flash,tiled --batch-size 2 --sequence-length 256"},
    {"Bytes",
     "--model bert-mini,albert-base,llama-test,phi3-test --engine pytorch,fast --precision "
     "int8,int8_static,int8_weight_only "
     "--batch-size 4 --sequence-length 64"},
    {"Tasks",
     "--model bert-mini --task masked_lm,token_classification,question_answering,embedding --engine pytorch,fast "
     "--precision fp32 --batch-size 4 --sequence-length 64"},
    {"Chunks",
     "--model bert-mini --precision fp32 --batching padded,packed --chunk-tokens 128 --batch-size 8 --sequence-length "
     "64"},
    {"NaturalLengths",
     "--model bert-mini --engine pytorch,fast --precision fp32 --batch-size 8 --sequence-length natural --limit 16"},
    {"DrawnLengths",
     "--model bert-mini --data synthetic --engine pytorch,fast --precision fp32 --batch-size 8 --sequence-length 64 "
     "--length-distribution uniform:8:64 --limit 16"},
    {"Requests",
     "--model gpt2-test,opt-test,llama-test,phi3-test --scenario generate --engine pytorch,fast --precision "
     "fp32,bf16,int8_weight_only --prompt-length 64 --new-tokens 8"},
};

INSTANTIATE_TEST_SUITE_P(Memory, PassForecast, testing::ValuesIn(kPassForecasts),
                         [](const auto& one) { return std::string(one.param.name); });

class DryRun : public CommandTest {
 protected:
  Json forecast(const std::string& command) const {
    const ShellResult result = shell("$T " + command + " --dry-run --dry-run-format json --store d.db");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "d.db")) << "nothing is stored";
    return Json::parse(result.output).at("cases");
  }
};

class RealDryRun : public DryRun {
 protected:
  void SetUp() override { use_real_worker(); }
};

TEST_F(RealDryRun, ForecastsWhatIsMeasuredLater) {
  const std::string plan =
      "run --model bert-mini --engine pytorch,fast --precision int8 --batch-size 1,4 --sequence-length 32 --threads 1 "
      "--slices 1 --warmup 1 --samples 2 ";
  const Json cases = forecast(plan);
  ASSERT_EQ(cases.size(), 4U);
  const ShellResult measured = shell("$T " + plan + "--peaks off --store r.db");
  ASSERT_EQ(measured.exit_code, 0) << measured.errors;
  const RunRecord run = load();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].at("requested"), run.cases[i].requested);
    EXPECT_EQ(cases[i].at("peak_bytes"), run.cases[i].effective.at("memory_forecast").at("peak_bytes"));
    EXPECT_TRUE(cases[i].at("earlier").is_null());
  }
  const ShellResult again = shell("$T " + plan + "--dry-run --store r.db");
  EXPECT_THAT(again.output, AllOf(HasSubstr("4 cases"), HasSubstr("fits"), HasSubstr(run.id)));
}

// Rates of 1, 2 and 8 texts; of 4 the nearest is 2 or 8, of whose FLOPs it has twice, or half, as many.
TEST_F(RealDryRun, ScalesTimesOfOtherCases) {
  const std::string plan =
      "run --model bert-mini --precision fp32 --sequence-length 32 --threads 1 --store r.db --slices 1 --warmup 1 ";
  ASSERT_EQ(shell("$T " + plan + "--batch-size 1,2,8 --samples 5 --peaks off --reference off").exit_code, 0);
  const ShellResult result = shell("$T " + plan + "--batch-size 4 --dry-run --dry-run-format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json one = Json::parse(result.output).at("cases").at(0);
  EXPECT_TRUE(one.at("earlier").is_null());
  const Json& scaled = one.at("scaled_time");
  const RunRecord run = load();
  EXPECT_EQ(scaled.at("run"), run.id);
  EXPECT_LE(scaled.at("low_s").get<double>(), scaled.at("value_s").get<double>());
  EXPECT_GE(scaled.at("high_s").get<double>(), scaled.at("value_s").get<double>());
  bool is_of_a_neighbour = false;
  for (const CaseRecord& measured : run.cases) {
    const CaseAnalysis analysis = analyze_case(measured);
    const MetricRow* rate = find_metric(analysis.metrics, "throughput_samples", "");
    const double expected = 4 / *rate->value;
    is_of_a_neighbour = is_of_a_neighbour || std::abs(scaled.at("value_s").get<double>() / expected - 1) < 1e-6;
  }
  EXPECT_TRUE(is_of_a_neighbour) << "four samples at the rate of a measured case: " << scaled.dump();
  EXPECT_THAT(shell("$T " + plan + "--batch-size 4 --dry-run").output, AllOf(HasSubstr("≈"), HasSubstr("same way")));
  const ShellResult other = shell("$T " + plan + "--batch-size 4 --engine fast --dry-run --dry-run-format json");
  EXPECT_TRUE(Json::parse(other.output).at("cases").at(0).at("scaled_time").is_null()) << "of another engine";
}

TEST_F(RealDryRun, ScalesTimesOfTrainingSteps) {
  const std::string plan =
      "train --model bert-test --data synthetic --sequence-length 32 --precision fp32 --threads 1 --store r.db ";
  ASSERT_EQ(shell("$T " + plan + "--batch-size 2 --gradient-accumulation 2 --warmup 1 --samples 3").exit_code, 0);
  const ShellResult result = shell("$T " + plan + "--batch-size 8 --dry-run --dry-run-format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json scaled = Json::parse(result.output).at("cases").at(0).at("scaled_time");
  const CaseAnalysis analysis = analyze_case(load().cases.at(0));
  const MetricRow* rate = find_metric(analysis.metrics, "throughput_samples", "");
  ASSERT_TRUE(rate != nullptr && rate->value);
  EXPECT_NEAR(scaled.at("value_s").get<double>() / (8 / *rate->value), 1, 1e-6) << "eight samples at the same rate";
}

// Products may be widened, or not: what takes the most counts.
TEST_F(RealDryRun, OfATrainingWhoseKernelsAreStillToBeTriedIsAnUpperBound) {
  const std::string plan =
      "train --model bert-mini --data synthetic --sequence-length 64 --batch-size 4 --precision bf16_autocast "
      "--threads "
      "1 ";
  const auto known = [&](const std::string& options) { return forecast(plan + options).at(0); };
  const Json upper = known("--engine fast"), narrow = known("--engine fast --products onednn");
  // Without instructions for bf16 there is no choice.
  if (shell("$T doctor --format json").output.find("bf16 by instructions of its own") != std::string::npos) {
    EXPECT_TRUE(upper.at("is_upper_bound").get<bool>());
  }
  EXPECT_FALSE(narrow.at("is_upper_bound").get<bool>());
  EXPECT_GE(upper.at("peak_bytes").get<double>(), narrow.at("peak_bytes").get<double>());
  EXPECT_FALSE(known("--engine pytorch").at("is_upper_bound").get<bool>());
  ASSERT_EQ(shell("$T " + plan + "--engine fast --warmup 1 --samples 2 --store r.db").exit_code, 0);
  EXPECT_GE(1.001 * upper.at("peak_bytes").get<double>(), first_value(load().cases.at(0), "peak_allocated_forecast"));
}

TEST_F(RealDryRun, OfRequestsWhoseKernelsAreStillToBeTriedIsAnUpperBound) {
  const std::string plan =
      "run --model llama-test --scenario generate --prompt-length 64 --new-tokens 8 --precision bf16 --threads 1 "
      "--attention sdpa ";
  const auto known = [&](const std::string& options) { return forecast(plan + options).at(0); };
  const Json upper = known("--engine fast"), named = known("--engine fast --products onednn");
  EXPECT_TRUE(upper.at("is_upper_bound").get<bool>());
  EXPECT_FALSE(named.at("is_upper_bound").get<bool>());
  EXPECT_GE(upper.at("peak_bytes").get<double>(), named.at("peak_bytes").get<double>());
  EXPECT_FALSE(known("--engine pytorch").at("is_upper_bound").get<bool>());
  ASSERT_EQ(shell("$T " + plan + "--engine fast --warmup 1 --samples 2 --store r.db").exit_code, 0);
  EXPECT_GE(1.001 * upper.at("peak_bytes").get<double>(), first_value(load().cases.at(0), "peak_allocated_forecast"));
}

TEST_F(RealDryRun, NamesWhatIsLargerThanItsLimit) {
  const std::string plan =
      "run --model bert-mini --precision fp32 --batch-size 1,64 --sequence-length 64 --threads 1 --memory-limit 64MiB ";
  const Json cases = forecast(plan);
  EXPECT_FALSE(cases.at(0).at("exceeds_limit").get<bool>());
  EXPECT_TRUE(cases.at(1).at("exceeds_limit").get<bool>());
  const ShellResult result = shell("$T " + plan + "--samples 1 --slices 1 --store r.db");
  EXPECT_THAT(result.errors, AllOf(HasSubstr("b64"), HasSubstr("will not fit"), HasSubstr("64.0 MiB")));
  EXPECT_THAT(result.errors, Not(HasSubstr("b1 t64 fp32 sdpa will")));
  const ShellResult drawn = shell("$T " + plan +
                                  "--data synthetic --length-distribution uniform:8:64 --samples 1 "
                                  "--slices 1 --store r.db");
  EXPECT_THAT(drawn.errors, Not(HasSubstr("will not fit"))) << "which would need all texts before the first case";
}

// The fake worker gives no forecasts.
TEST_F(DryRun, SaysNullWhereThereIsNoForecastAndGivesTheEarlierTimeAsAMetric) {
  const std::string plan = "run --model bert-test --precision fp32 --batch-size 2 --sequence-length 16 --samples 60 ";
  const ShellResult measured =
      shell("$T " + plan + "--store r.db", {{"latency", {{"kind", "normal"}, {"mean_s", 0.010}, {"sd_s", 0.00005}}}});
  ASSERT_EQ(measured.exit_code, 0) << measured.errors;
  const ShellResult result = shell("$T " + plan + "--store r.db --dry-run --dry-run-format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json one = Json::parse(result.output).at("cases").at(0);
  for (const char* name : {"peak_bytes", "is_upper_bound", "exceeds_limit"}) EXPECT_EQ(one.at(name), Json()) << name;
  EXPECT_FALSE(one.at("reason").is_null());
  const Json& earlier = one.at("earlier");
  EXPECT_EQ(earlier.at("run"), load().id);
  EXPECT_EQ(earlier.at("time").at("name"), "latency");
  EXPECT_EQ(earlier.at("time").at("unit"), "s");
  EXPECT_NEAR(earlier.at("time").at("value").get<double>(), 0.010, 0.001);
}

TEST_F(DryRun, HasAFormatOfItsOwn) {
  const ShellResult result = shell("$T run --dry-run-format json --store d.db");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("add --dry-run"));
  const ShellResult other = shell("$T run --dry-run --dry-run-format jsn --store d.db");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, AllOf(HasSubstr("'jsn'"), HasSubstr("table, json, markdown. Did you mean 'json'?")));
}

TEST_F(RealDryRun, SaysWhatIsTightAndWhatCannotRun) {
  const ShellResult tight = shell(
      "$T run --model bert-mini --precision fp32 --batch-size 1 --sequence-length 64 --memory-limit 200MiB --dry-run");
  EXPECT_THAT(tight.output, HasSubstr("tight"));
  const ShellResult longer = shell("$T run --model bert-mini --precision fp32 --sequence-length 64,513 --dry-run");
  EXPECT_THAT(longer.output, AllOf(HasSubstr("cannot run"), HasSubstr("512 positions")));
}

TEST_F(RealDryRun, OfATrainingIsThatOfItsSteps) {
  const std::string plan = "train --model bert-mini --precision fp32 --batch-size 4 --threads 1 ";
  const Json fixed = forecast(plan + "--sequence-length 32").at(0);
  const Json natural = forecast(plan + "--sequence-length natural").at(0);
  EXPECT_THAT(natural.at("reason").get<std::string>(), HasSubstr("natural lengths"));
  const ShellResult measured =
      shell("$T " + plan + "--sequence-length 32 --peaks off --store r.db --warmup 1 --samples 2");
  ASSERT_EQ(measured.exit_code, 0) << measured.errors;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(fixed.at("peak_bytes"), one.effective.at("memory_forecast").at("peak_bytes"));
  for (const char* part : {"weight_bytes", "gradient_bytes", "optimizer_bytes"}) {
    EXPECT_NEAR(fixed.at(part).get<double>() / find_series(one.replicates.at(0).series, part)->value.front(), 1, 0.01)
        << part;
  }
}

TEST_F(RealDryRun, SaysWhyACaseHasNoForecast) {
  const Json cases = forecast("run --model bert-mini --precision tf32,fp32 --batch-size 1 --sequence-length 16");
  EXPECT_EQ(cases.at(0).at("status"), "unsupported");
  EXPECT_TRUE(cases.at(1).at("reason").is_null()) << "others are not held up";
}

// The model has 512 positions.
TEST_F(RealDryRun, ExitsAsTheRunWouldWhereNoCaseCanRun) {
  const auto exit_code = [&](const std::string& plan) {
    return shell("$T " + plan + " --precision fp32 --dry-run --store d.db").exit_code;
  };
  const std::string run = "run --model bert-mini --sequence-length ";
  EXPECT_EQ(exit_code(run + "513"), 1);
  EXPECT_EQ(exit_code(run + "513 --dry-run-format json"), 1);
  EXPECT_EQ(exit_code(run + "64,513"), 0);
  EXPECT_EQ(exit_code(run + "64,513 --strict"), 1);
  EXPECT_EQ(exit_code(run + "64 --strict"), 0);
  EXPECT_EQ(exit_code(run + "64 --batch-size 64 --memory-limit 64MiB --strict"), 0) << "too large is a forecast";
  EXPECT_EQ(exit_code("train --model bert-mini --sequence-length 513"), 1);
  EXPECT_EQ(shell("$T " + run + "513 --precision fp32 --store d.db").exit_code, 1) << "the run itself";
}

TEST_F(DryRun, OfAWorkerWithoutForecastsListsTheCases) {
  const Json cases = forecast("run --batch-size 1,2 --sequence-length 16 --precision fp32");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_THAT(cases.at(0).at("reason").get<std::string>(), HasSubstr("gives no forecasts"));
}

}  // namespace
}  // namespace transformeter
