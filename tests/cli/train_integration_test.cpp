// Scenario train through the real command and the real worker.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "cli/forecast_case.h"
#include "cli/shell.h"
#include "schema/divergence.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Train : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }
  ShellResult train(const std::string& options) const {
    return shell("$T train --peaks off --store r.db --threads 1 " + options);
  }
  // The one file that this test's cache has; empty: none.
  std::filesystem::path only_kept_products() const {
    const std::filesystem::path folder = folder_.path() / "cache/transformeter/products";
    if (!std::filesystem::exists(folder)) return {};
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") return entry.path();
    }
    return {};
  }
  static std::vector<double> losses(const CaseRecord& one) {
    return find_series(one.replicates.at(0).series, "loss")->value;
  }
};

const std::string kTiny = "--model bert-test --batch-size 4 --sequence-length 16 --precision fp32 ";

TEST_F(Train, StepsHavePhasesLossesAndAnAccountOfMemory) {
  const ShellResult result = train(kTiny +
                                   "--optimizer adamw,sgd --gradient-accumulation 1,2 --samples 12 "
                                   "--price-per-hour 2 && $T show --store r.db --format json > r.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("step"), HasSubstr("accumulation"), HasSubstr("sgd")));
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 4U);
  for (const CaseRecord& one : run.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::vector<Series>& series = one.replicates.at(0).series;
    const std::size_t steps = find_series(series, "latency")->value.size();
    EXPECT_GE(steps, 14U) << "2 to warm up, 12 measured";
    for (const char* name : {"data_wait", "forward_time", "backward_time", "optimizer_time", "loss", "gradient_norm",
                             "skipped_step", "useful_step_flops"}) {
      ASSERT_NE(find_series(series, name), nullptr) << name;
      EXPECT_EQ(find_series(series, name)->value.size(), steps) << name;
    }
    EXPECT_EQ(find_series(series, "padded_step_flops")->value.size(), steps);
    EXPECT_GT(find_series(series, "padded_step_flops")->value.back(), 0);
    EXPECT_LE(find_series(series, "processed_step_flops")->value.back(),
              find_series(series, "padded_step_flops")->value.back());
    const auto accumulation = one.requested.at("gradient_accumulation").get<std::int64_t>();
    EXPECT_EQ(find_series(series, "latency")->examples.back(), 4 * accumulation);
    const double weights = find_series(series, "weight_bytes")->value.front();
    EXPECT_EQ(find_series(series, "gradient_bytes")->value.front(), weights);
    const double state = find_series(series, "optimizer_bytes")->value.front();
    if (one.requested.at("optimizer") == "sgd") {
      EXPECT_EQ(state, weights) << "one momentum";
    } else {
      EXPECT_NEAR(state, 2 * weights, 4 * 100) << "two moments, and a count of steps for each tensor";
    }
    EXPECT_EQ(one.effective.at("precision"), "fp32");
  }
  const Json cases = Json::parse(read_file_or_empty(folder_.path() / "r.json")).at("runs")[0].at("cases");
  bool has_cost = false;
  for (const Json& row : cases[0].at("metrics"))
    has_cost = has_cost || (row.at("name") == "cost_per_step" && row.at("value").is_number());
  EXPECT_TRUE(has_cost);
}

TEST_F(Train, TheLossFallsAndIsTheSameTwice) {
  const std::string options = kTiny + "--samples 80 --learning-rate 1e-3 --limit 16 --deterministic on ";
  ASSERT_EQ(train(options).exit_code, 0);
  const std::vector<double> first = losses(load().cases.at(0));
  EXPECT_LT(first.back(), 0.5 * first.front()) << "16 texts are learnt by heart";
  ASSERT_EQ(train(options).exit_code, 0);
  EXPECT_EQ(losses(load().cases.at(0)), first) << "bit for bit, dropout and all";
}

TEST_F(Train, CheckpointingSavesActivationsAndChangesNoLoss) {
  const ShellResult result = train(
      "--model bert-mini --batch-size 8 --sequence-length 128 --precision fp32 --gradient-checkpointing off,on "
      "--samples 1 "
      "--warmup 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord run = load();
  EXPECT_EQ(losses(run.cases.at(0)), losses(run.cases.at(1)));
  const auto bytes = [&](const char* series, std::size_t i) {
    return find_series(run.cases.at(i).replicates.at(0).series, series)->value.front();
  };
  EXPECT_LT(bytes("peak_allocated", 1), bytes("peak_allocated", 0));
  // Of 8 x 128 tokens, in 4 layers: at least the inputs of attention, of its output and of both large products.
  const double least = 8.0 * 128 * 4 * (256 + 256 + 256 + 1024) * 4;
  EXPECT_GT(bytes("activation_bytes", 0), least);
  EXPECT_LT(bytes("activation_bytes", 1), bytes("activation_bytes", 0) / 4);
}

// A mask that carries a table's gradient belongs to the run that made it; both runs drop the same values.
TEST_F(Train, RelativePositionsLearnTheSameWithCheckpointing) {
  const ShellResult result = train(
      "--model mpnet-test --precision fp32 --engine pytorch,fast --data synthetic --dropout config,off "
      "--learning-rate 0.01 --batch-size 4 --sequence-length 32 --gradient-checkpointing off,on --warmup 1 --samples "
      "8");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 8U);
  for (const CaseRecord& one : run.cases) {
    if (one.requested.at("gradient_checkpointing") == "off") continue;
    SCOPED_TRACE(one.requested.dump());
    const auto plain = std::find_if(run.cases.begin(), run.cases.end(), [&](const CaseRecord& other) {
      Json settings = one.requested;
      settings["gradient_checkpointing"] = "off";
      return other.requested == settings;
    });
    ASSERT_NE(plain, run.cases.end());
    // Layers' gradients of the table are added up in another order.
    EXPECT_THAT(losses(one), testing::Pointwise(testing::DoubleNear(1e-3), losses(*plain)));
  }
}

// What LibTorch allocates, against the blueprint's sums. Activations are exact but for masks of padding; of small
// models threads' scratch is a part of the peak.
class TrainForecast : public Train, public testing::WithParamInterface<ForecastCase> {};

TEST_P(TrainForecast, IsNearWhatIsAllocated) {
  const ShellResult result = train(std::string(GetParam().options) + " --warmup 1 --samples 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) {
    SCOPED_TRACE(one.requested.dump());
    const auto bytes = [&](const std::string& series) { return first_value(one, series); };
    EXPECT_NEAR(bytes("activation_bytes_forecast") / bytes("activation_bytes"), 1, 0.02);
    EXPECT_NEAR(bytes("peak_allocated_forecast") / bytes("peak_allocated"), 1, 0.05);
    const Json& told = one.effective.at("memory_forecast");
    EXPECT_EQ(told.at("peak_bytes"), bytes("peak_allocated_forecast"));
    EXPECT_EQ(told.contains("gradient_checkpointing_bytes"), one.requested.at("gradient_checkpointing") == "off");
    EXPECT_TRUE(told.contains("accumulation_doubled_bytes")) << "of an even number of rows";
  }
}

constexpr ForecastCase kTrainForecasts[] = {
    {"Engines",
     "--model bert-mini --precision fp32 --engine pytorch,fast --gradient-checkpointing off,on --gradient-accumulation "
     "1,2 --batch-size 8 --data synthetic --batching padded --sequence-length 64"},
    {"ComposedAttention",
     "--model bert-mini --precision fp32 --dropout off --attention eager,sdpa --optimizer sgd,adafactor --batch-size 8 "
     "--data synthetic --sequence-length 64"},
    {"Decoders",
     "--model gpt2-test,llama-test,opt-test,phi3-test --precision fp32 --engine pytorch,fast --batch-size 2 "
     "--data synthetic --batching padded --sequence-length 64"},
    {"Windows",
     "--model gemma3-test --precision fp32 --engine pytorch,fast --batch-size 2 --data synthetic --batching padded "
     "--sequence-length 64,128"},
    {"Encoders",
     "--model albert-base,electra-small --precision fp32 --gradient-accumulation 1,2 --batch-size 2 --data synthetic "
     "--sequence-length 32"},
    {"RelativePositions",
     "--model mpnet-test --precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing off,on "
     "--batch-size 8 --data synthetic --batching padded --sequence-length 128"},
    {"EncoderAndDecoder",
     "--model t5-test --precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing off,on "
     "--gradient-accumulation 1,2 --batch-size 8 --data synthetic --batching padded --sequence-length 64"},
    {"Images",
     "--model vit-test --precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing off,on "
     "--gradient-accumulation 1,4 --batch-size 8 --data synthetic"},
    {"ImagesAndCaptions",
     "--model clip-test,siglip-test --precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing "
     "off,on "
     "--gradient-accumulation 1,4 --batch-size 8 --sequence-length 32"},
    {"Sounds",
     "--model wav2vec2-test --task speech_recognition,audio_classification --precision fp32,bf16_autocast --engine "
     "pytorch,fast --gradient-checkpointing off,on --batch-size 8 --audio-seconds 1"},
    {"Convolutions",
     "--model squeezebert-test --precision fp32,bf16_autocast --engine pytorch,fast --batch-size 16 --data synthetic "
     "--batching padded --sequence-length 128"},
    {"ConvolutionsWithoutDropout",
     "--model squeezebert-test --precision fp32,bf16_autocast --dropout off --attention eager,sdpa --batch-size 16 "
     "--data synthetic --sequence-length 128"},
    {"Autocast",
     "--model bert-mini --precision bf16_autocast --engine fast --gradient-checkpointing off,on --batch-size 4 "
     "--data synthetic --batching padded --sequence-length 64"},
    {"AutocastOfLibTorch",
     "--model bert-mini --precision bf16_autocast --batch-size 2 --data synthetic --sequence-length 16"},
    {"AutocastOfNarrowLayers",
     "--model electra-small --precision bf16_autocast --engine fast --batch-size 2 --data synthetic --batching padded "
     "--sequence-length 32"},
    {"NaturalLengths",
     "--model bert-mini --precision fp32 --engine pytorch,fast --batching padded,packed --batch-size 8 "
     "--sequence-length natural"},
    {"Adapters",
     "--model bert-mini --precision fp32 --engine pytorch,fast --lora-rank 8 --gradient-checkpointing off,on "
     "--gradient-accumulation 1,2 --batch-size 8 --data synthetic --batching padded --sequence-length 64"},
    {"AdaptersOfDecoders",
     "--model gpt2-test,llama-test,opt-test --precision fp32 --engine pytorch,fast --lora-rank 4 --lora-targets "
     "all-linear --batch-size 2 --data synthetic --batching padded --sequence-length 64"},
    {"AdaptersUnderAutocast",
     "--model bert-mini --precision bf16_autocast --engine pytorch,fast --lora-rank 8 --batch-size 8 --data synthetic "
     "--batching padded --sequence-length 64"},
    {"AdaptersOfImagesAndCaptions",
     "--model clip-test,siglip-test --precision fp32 --engine pytorch,fast --lora-rank 8 --gradient-checkpointing "
     "off,on "
     "--gradient-accumulation 1,4 --batch-size 8 --sequence-length 32"},
    {"PackedWithoutDropout",
     "--model bert-mini --precision fp32 --engine fast --dropout off --batch-size 8 --sequence-length natural"},
};

INSTANTIATE_TEST_SUITE_P(Memory, TrainForecast, testing::ValuesIn(kTrainForecasts),
                         [](const auto& one) { return std::string(one.param.name); });

// Which kernels a trial finds faster is not the same everywhere, so here each is chosen beforehand.
TEST_F(Train, ForecastsMemoryWhateverKernelsWereChosen) {
  const std::string options =
      "--model vit-test --precision bf16_autocast --engine fast --gradient-checkpointing off,on "
      "--batch-size 8 --data synthetic --warmup 1 --samples 2 --products ";
  ASSERT_EQ(train(options + "trial").exit_code, 0);
  // All trials, of which only steady ones are kept.
  Json products = load().cases.at(0).effective.at("linear_trials");
  if (!products.at(0).at("seconds").contains("linear")) GTEST_SKIP() << "no instructions for bf16: nothing to choose";
  const bool is_any_steady =
      std::any_of(products.begin(), products.end(), [](const Json& product) { return product.at("steady") == true; });
  if (!is_any_steady) GTEST_SKIP() << "this machine is so busy that not one trial was steady";
  const std::filesystem::path kept = only_kept_products();
  ASSERT_FALSE(kept.empty()) << "steady trials are kept";
  Json choices = Json::parse(read_file_or_empty(kept));
  ASSERT_EQ(choices.at("runtimes").size(), 1U);

  const std::vector<std::string> parts{"outputs", "input gradient", "weight gradient"};
  constexpr std::size_t kMixed = 8;  // every second product widened; else a bit for each part
  std::set<double> forecasts;
  for (const std::size_t mix : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{7}, kMixed}) {
    SCOPED_TRACE(mix);
    for (std::size_t i = 0; i < products.size(); ++i) {
      const std::string part = products[i].at("uses").at(0).at("what").get<std::string>();
      const auto bit = static_cast<std::size_t>(std::find(parts.begin(), parts.end(), part) - parts.begin());
      const bool is_widened = mix == kMixed ? i % 2 == 0 : (mix >> bit) % 2 == 1;
      products[i]["kernel"] = is_widened ? "widened" : "linear";
      products[i]["steady"] = true;
    }
    choices.at("runtimes").front() = products;
    std::ofstream(kept) << choices;
    std::filesystem::remove(folder_.path() / "r.db");
    ASSERT_EQ(train(options + "auto").exit_code, 0);
    for (const CaseRecord& one : load().cases) {
      SCOPED_TRACE(one.requested.dump());
      for (const Json& used : one.effective.at("linear_trials")) EXPECT_EQ(used.at("kept"), true) << used;
      const double forecast = first_value(one, "peak_allocated_forecast");
      EXPECT_NEAR(forecast / first_value(one, "peak_allocated"), 1, 0.04);
      forecasts.insert(forecast);
    }
  }
  EXPECT_GT(forecasts.size(), 4U) << "the choices made a difference";
}

// bert-mini: 4 layers of width 256, a pooler and a classifier of 2 classes.
TEST_F(Train, AdaptersSaveGradientsOptimizerStateAndOperations) {
  const ShellResult result = train(
      "--model bert-mini --batch-size 8 --sequence-length 64 --precision fp32 --engine pytorch,fast --lora-rank off,8 "
      "--samples 2 --warmup 2");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord run = load();
  ASSERT_EQ(run.cases.size(), 4U);
  for (const CaseRecord& one : run.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const auto value = [&](const char* series) {
      return find_series(one.replicates.at(0).series, series)->value.front();
    };
    const double whole = 11'171'074, adapters = 4 * 2 * 8 * (256 + 256), head = 256 * 2 + 2;
    const bool is_adapted = one.requested.at("lora_rank") == 8;
    const double trained = is_adapted ? adapters + head : whole;
    EXPECT_EQ(value("trainable_parameters"), trained);
    EXPECT_EQ(one.effective.at("model").at("trainable_parameters"), trained);
    EXPECT_EQ(value("gradient_bytes"), 4 * trained);
    EXPECT_EQ(value("weight_bytes"), 4 * (whole + (is_adapted ? adapters : 0)));
    EXPECT_EQ(one.effective.contains("lora"), is_adapted);
  }
  const auto of = [&](std::size_t i, const char* series) {
    return find_series(run.cases.at(i).replicates.at(0).series, series)->value.back();
  };
  for (const auto& [plain, adapted] :
       {std::pair(std::size_t{0}, std::size_t{1}), std::pair(std::size_t{2}, std::size_t{3})}) {
    EXPECT_LT(of(adapted, "useful_step_flops"), 0.75 * of(plain, "useful_step_flops"));
    EXPECT_LT(of(adapted, "peak_allocated"), 0.6 * of(plain, "peak_allocated"));
  }
}

TEST_F(Train, AdaptersAreRefusedWhereAModelCannotHaveThem) {
  ShellResult result = train(kTiny + "--lora-rank 4 --lora-targets qery");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("lora_targets 'qery' is not known"), HasSubstr("Did you mean 'query'?")));
  result = train(kTiny + "--lora-alpha 4");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("lora_alpha only applies to scenario train with lora_rank N"));
  result = train("--model squeezebert-test --batch-size 4 --sequence-length 16 --precision fp32 --lora-rank 4");
  EXPECT_EQ(result.exit_code, 1) << "no case can run";
  EXPECT_THAT(result.output + result.errors, HasSubstr("is a convolution"));
}

TEST_F(Train, PackedAndBucketedRowsRun) {
  const ShellResult result = train(
      "--model distilbert-test --batch-size 8 --sequence-length natural --batching padded,bucketed,packed "
      "--precision fp32 --samples 10");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
}

TEST_F(Train, ACausalModelLearnsBlocksOfText) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "the quick brown fox jumps over the lazy dog number " + std::to_string(i) + "\n";
  folder_.write("t.txt", text);
  const ShellResult result = train(
      "--model gpt2-test --data t.txt --batch-size 4 --sequence-length 32 --precision fp32 --samples 12 "
      "--learning-rate "
      "1e-3");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.requested.at("task"), "causal_lm");
  EXPECT_LT(losses(one).back(), losses(one).front());
}

TEST_F(Train, ALossThatIsNoNumberEndsTheCaseWithItsStep) {
  const ShellResult result =
      train(kTiny + "--learning-rate 1e30 --optimizer sgd --max-gradient-norm none --samples 200");
  EXPECT_EQ(result.exit_code, 1);
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.status, Status::kFailed);
  EXPECT_THAT(one.status_reason,
              AllOf(HasSubstr("step "), HasSubstr(std::string(kDivergedLoss)), HasSubstr("learning_rate")));
}

TEST_F(Train, OutOfMemorySaysWhatFits) {
  const ShellResult result = train(
      "--model bert-test --batch-size 4096 --sequence-length 128 --data synthetic --precision fp32 --samples 2 "
      "--memory-limit 2GiB");
  EXPECT_EQ(result.exit_code, 1);
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.status, Status::kOutOfMemory) << one.status_reason;
  EXPECT_THAT(one.status_reason, AllOf(HasSubstr("batch_size 4096 does not fit"), HasSubstr("gradient_accumulation")));
}

TEST_F(Train, WhatCannotRunIsSaid) {
  EXPECT_EQ(train(kTiny + "--task embedding --samples 1").exit_code, 1);
  EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr("cannot be trained"));
  EXPECT_EQ(train(kTiny + "--learning-rate 0").exit_code, 3);
  EXPECT_EQ(train(kTiny + "--attention flash --samples 1").exit_code, 1);
  EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr("dropout"));
}

TEST_F(Train, ChoosesAKernelForEachProductOfALayer) {
  const auto kernels = [&](const std::string& options) {
    EXPECT_EQ(train(kTiny + "--engine fast --warmup 1 --samples 2 " + options).exit_code, 0);
    const RunRecord stored = load();
    std::filesystem::remove(folder_.path() / "r.db");
    std::multiset<std::string> parts;
    for (const Json& one : stored.cases.at(0).effective.value("linear_trials", Json::array())) {
      parts.insert(one.at("uses").at(0).at("what").get<std::string>());
      EXPECT_EQ(one.at("seconds").size(), 2U) << one;
    }
    return parts;
  };
  const std::multiset<std::string> chosen = kernels("");
  for (const char* part : {"outputs", "input gradient", "weight gradient"}) {
    EXPECT_EQ(chosen.count(part), chosen.size() / 3) << part;
  }
  EXPECT_FALSE(chosen.empty());
  for (const char* without : {"--products onednn", "--deterministic on", "--one-dnn off"}) {
    EXPECT_TRUE(kernels(without).empty()) << without;
  }
}

TEST_F(Train, AFamilyThatIsNoneIsRefused) {
  const ShellResult result = train("--model-families text --samples 1");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("embedding, text_generation"));
}

TEST_F(Train, HelpTellsTheDefaultsThatHold) {
  const ShellResult help = shell("$T train --help");
  ASSERT_EQ(help.exit_code, 0) << help.errors;
  EXPECT_THAT(help.output, AllOf(HasSubstr("[8]"), HasSubstr("[128]")));
  EXPECT_THAT(help.output, AllOf(testing::Not(HasSubstr("[1,8,32]")), testing::Not(HasSubstr("[128,natural]")),
                                 testing::Not(HasSubstr("[sequence_classification]"))));
  EXPECT_THAT(shell("$T run --help").output, AllOf(HasSubstr("[1,8,32]"), HasSubstr("[128,natural]")));
}

// Few choices, and more time than they take on a machine that is busy with other things: the trials end when all are
// decided.
TEST_F(Train, EngineAutoChoosesByTrialsOfSteps) {
  const std::string searched = kTiny +
                               "--engine auto --allocator glibc --huge-pages system --attention sdpa "
                               "--trial-time 60s --warmup 1 --samples 3";
  const ShellResult result = train(searched);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  const Json& choice = run.host.at("engine_choices").at("c01");
  EXPECT_NE(choice.at("end"), "no_start") << choice;
  const auto store = open_store(folder_.path() / "r.db", StoreMode::kRead);
  const RunRecord trials = store->load_run(choice.at("runs").at(0).get<std::string>(), false);
  EXPECT_EQ(trials.cases.at(0).status, Status::kOk);
  EXPECT_EQ(trials.cases.at(0).requested.at("scenario"), "train");
  EXPECT_EQ(run.cases.at(0).requested.at("engine"), "auto");
  EXPECT_NE(run.cases.at(0).requested.at("batching"), "bucketed");
  for (const CaseRecord& tried : trials.cases) EXPECT_NE(tried.requested.at("batching"), "bucketed");
  EXPECT_EQ(run.cases.at(0).effective.at("engine_choice"), choice);
  const ShellResult kept = train(searched);
  EXPECT_THAT(kept.errors, HasSubstr("; kept since ")) << kept.errors;
}

}  // namespace
}  // namespace transformeter
