// The worker's session, driven over a channel pair as the command drives it, on the tiny reference models.
#include "session/session.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "fake_worker/session_client.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = source_directory();

class WorkerSession : public testing::Test {
 protected:
  WorkerSession() : WorkerSession(make_channel_pair()) {}

  ~WorkerSession() override {
    try {
      client_.send(bare_message(verb::kTeardown));
    } catch (const Error&) {  // the session is over already
    }
    server_.join();
  }

  Message receive() {
    Message message;
    EXPECT_EQ(client_.receive(message), Channel::Outcome::kMessage);
    return message;
  }

  Message ask(const Message& request) {
    client_.send(request);
    return receive();
  }

  static Json settings(const std::string& model) {
    return {{"model", model},
            {"task", "sequence_classification"},
            {"data", "bundled"},
            {"batch_size", 4},
            {"sequence_length", 16},
            {"limit", "all"},
            {"seed", 0},
            {"precision", "fp32"},
            {"attention", "sdpa"},
            {"attention_mask", "on"},
            {"device", "cpu"}};
  }

  Message prepare(const Json& requested) {
    PrepareRequest request;
    request.settings = requested;
    request.spawned_at_ns = clock_.now().time_since_epoch().count();
    return ask(to_message(request));
  }

  Failed expect_failed(const Json& requested) {
    const Message reply = prepare(requested);
    EXPECT_EQ(reply.type(), verb::kFailed) << reply.header.dump();
    return reply.type() == verb::kFailed ? from_message<Failed>(reply) : Failed{};
  }

  static std::string tiny() { return (kSource / "tests/data/models/tiny-distilbert-classifier").string(); }

  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, kSource / "share"};
  WorkerParts parts_ = builtin_parts();
  SessionClient client_;

 private:
  explicit WorkerSession(ChannelPair pair)
      : client_(std::move(pair.here)), server_([this, there = pair.there] {
          Channel channel(there);
          serve_session(channel, context_, parts_);
        }) {
    EXPECT_EQ(receive().type(), verb::kHello);
  }

  std::thread server_;
};

double scalar(const std::vector<Series>& series, std::string_view name) {
  const Series* found = find_series(series, name);
  return found == nullptr ? std::nan("") : found->value.at(0);
}

TEST_F(WorkerSession, DescribesItsCapabilities) {
  const auto described = from_message<Described>(ask(bare_message(verb::kDescribe)));
  EXPECT_EQ(described.capabilities.why_not("precision", "fp32"), std::nullopt);
  EXPECT_NE(described.capabilities.why_not("device", "cuda"), std::nullopt);
  EXPECT_EQ(described.build.at("libtorch").get<std::string>().substr(0, 2), "2.");
}

TEST_F(WorkerSession, MeasuresACaseFromPrepareToEvaluate) {
  const Message ready = prepare(settings("bert-tiny"));
  ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
  const auto prepared = from_message<Prepared>(ready);
  EXPECT_EQ(prepared.effective.at("model").at("trained"), false);
  EXPECT_GT(scalar(prepared.series, "weight_bytes"), 4 * 4e6) << "bert-tiny has 4.4 million parameters";

  const auto warmed = from_message<Warmed>(ask(to_message(WarmRequest{})));
  EXPECT_EQ(warmed.effective.at("precision"), "fp32");
  EXPECT_GT(scalar(warmed.series, "cold_start"), scalar(warmed.series, "first_forward"));
  for (const double start : find_series(warmed.series, "latency")->start_s) EXPECT_LT(start, 0);
  EXPECT_EQ(find_series(warmed.series, "sample_cpu_time")->value.size(),
            find_series(warmed.series, "latency")->value.size());

  MeasureRequest request;
  request.exactly = 5;
  client_.send(to_message(request));
  std::size_t samples = 0;
  Message message = receive();
  for (; message.type() == verb::kSamples; message = receive()) {
    for (const Series& block : from_message<std::vector<Series>>(message)) {
      EXPECT_EQ(block.value.size(), 5U) << block.name;
      if (block.name == "sample_cpu_time") {
        EXPECT_GT(*std::min_element(block.value.begin(), block.value.end()), 0);
      }
      samples += block.value.size();
      for (const std::int64_t tokens : block.useful_tokens) EXPECT_EQ(tokens, 4 * 16) << "fixed length: no padding";
    }
  }
  EXPECT_EQ(samples, 2U * 5U) << "latency and CPU time";
  const auto measured = from_message<Measured>(message);
  EXPECT_EQ(measured.stop_reason, "count_reached");
  EXPECT_GT(scalar(measured.series, "peak_rss"), scalar(measured.series, "peak_allocated"));
  EXPECT_LT(scalar(measured.series, "harness_cost"), 1e-4);

  const Evaluated evaluated = client_.evaluate();
  EXPECT_EQ(scalar(evaluated.series, "non_finite_outputs"), 0);
  EXPECT_EQ(find_series(evaluated.series, "correct"), nullptr) << "seeded weights have no accuracy";
}

TEST_F(WorkerSession, GivesTheOutputsOfTheFirstInputsWithinTheLimits) {
  Json requested = settings("bert-test");
  requested["sequence_length"] = "natural";
  ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
  const auto outputs_of = [&](const OutputRequest& outputs) {
    EvaluateRequest request;
    request.outputs = outputs;
    return client_.evaluate(request).outputs.value();
  };
  const Outputs all = outputs_of({});
  ASSERT_EQ(all.inputs.size(), 64U);
  EXPECT_EQ(all.width, 2);
  EXPECT_EQ(all.values.size(), 64U * 2);
  EXPECT_EQ(std::set<std::int64_t>(all.inputs.begin(), all.inputs.end()).size(), 64U);
  OutputRequest few;
  few.fewest_inputs = 1;
  few.most_inputs = 6;  // one batch of 4 and half of another
  EXPECT_EQ(outputs_of(few).inputs, std::vector<std::int64_t>(all.inputs.begin(), all.inputs.begin() + 6));
  few.most_values = 7;
  EXPECT_EQ(outputs_of(few).inputs.size(), 3U);
  few.most_tokens = 1;
  EXPECT_EQ(outputs_of(few).inputs.size(), 2U) << "always two, which have a spread";
  few.fewest_inputs = 5;
  EXPECT_EQ(outputs_of(few).inputs.size(), 5U) << "of more tokens and values";
  few.limit_tokens = 1;
  EXPECT_EQ(outputs_of(few).inputs.size(), 2U) << "but not of any number";
  OutputRequest named;
  named.inputs = {all.inputs[40], -5, all.inputs[2]};
  const Outputs two = outputs_of(named);
  EXPECT_EQ(two.inputs, (std::vector<std::int64_t>{all.inputs[2], all.inputs[40]})) << "in the cycle's order";
  // Of another batch's shape, whose products may add in another order.
  EXPECT_NEAR(two.values[3], all.values[81], 1e-5);
  EXPECT_NE(all.values[5], all.values[81]);
}

TEST_F(WorkerSession, GivesOutputsBeyondTheOneBatchOfAFixedLength) {
  std::vector<Outputs> outputs;
  for (const int batch_size : {1, 5, 40}) {
    Json requested = settings("bert-test");
    requested.update({{"sequence_length", 16}, {"batch_size", batch_size}});
    ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
    EvaluateRequest request;
    request.outputs.emplace();
    outputs.push_back(client_.evaluate(request).outputs.value());
  }
  EXPECT_EQ(outputs[0].inputs.size(), 32U);
  EXPECT_EQ(outputs[1].inputs.size(), 35U) << "whole batches";
  EXPECT_EQ(outputs[2].inputs.size(), 40U) << "the batch that is measured";
  for (const Outputs& some : outputs) {
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(some.inputs[i], outputs[2].inputs[i]) << "the same texts";
  }
}

// Width 128, from which int8 is worth it.
TEST_F(WorkerSession, CalibratesOnTextsThatItDoesNotCompare) {
  Json requested = settings("bert-tiny");
  requested.update({{"precision", "int8_static"}, {"sequence_length", "natural"}, {"limit", 40}});
  const Prepared apart = from_message<Prepared>(prepare(requested));
  EXPECT_EQ(apart.effective.at("calibration_examples"), 64) << "of the texts beyond the limit";
  EvaluateRequest request;
  request.outputs.emplace();
  EXPECT_EQ(client_.evaluate(request).outputs.value().inputs.size(), 40U);

  requested.update({{"sequence_length", 16}, {"batch_size", 5}, {"limit", "all"}});
  EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("calibration_examples"), 65) << "13 batches of 5";
  EXPECT_EQ(client_.evaluate(request).outputs.value().inputs.size(), 35U) << "of the other half of the texts";
  requested["data"] = "synthetic";
  EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("calibration_examples"), 65);
  EXPECT_EQ(client_.evaluate(request).outputs.value().inputs.size(), 35U);
}

// A later pass would pass for the first: calibrating has run the model before.
TEST_F(WorkerSession, TellsNoFirstForwardWhereLoadingRanTheModelBefore) {
  Json requested = settings("bert-tiny");
  const auto has_first = [](const Warmed& warmed) {
    const std::vector<std::uint32_t>& flags = find_series(warmed.series, "latency")->flags;
    return std::any_of(flags.begin(), flags.end(), [](std::uint32_t flag) { return (flag & kSampleFirst) != 0; });
  };
  ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
  const auto plain = from_message<Warmed>(ask(to_message(WarmRequest{})));
  EXPECT_NE(find_series(plain.series, "first_forward"), nullptr);
  EXPECT_TRUE(has_first(plain));
  requested["precision"] = "int8_static";
  ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
  const auto calibrated = from_message<Warmed>(ask(to_message(WarmRequest{})));
  EXPECT_EQ(find_series(calibrated.series, "first_forward"), nullptr);
  EXPECT_FALSE(has_first(calibrated));
  EXPECT_EQ(calibrated.effective.at("null_reasons").at("first_forward"),
            "loading ran the model 16 times before the first pass that was timed")
      << "64 examples in batches of 4";
}

TEST_F(WorkerSession, CalibratesOnWhatLeavesEnoughToCompare) {
  std::string table = "sentence\tlabel\n";
  for (int i = 0; i < 40; ++i) table += fmt::format("a text of its own, the {}th of them\t{}\n", i, i % 2);
  const TemporaryFolder folder;
  Json requested = settings("bert-tiny");
  requested.update({{"precision", "int8_static"},
                    {"sequence_length", "natural"},
                    {"data", folder.write("few.tsv", table).string()},
                    {"batch_size", 1}});
  EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("calibration_examples"), 8);
  EvaluateRequest request;
  request.outputs.emplace();
  const Outputs outputs = client_.evaluate(request).outputs.value();
  EXPECT_EQ(outputs.inputs.size(), 32U) << "the others";
  request.outputs->inputs = {outputs.inputs[3], 7};
  EXPECT_EQ(client_.evaluate(request).outputs.value().inputs, std::vector<std::int64_t>{outputs.inputs[3]});

  requested.update({{"sequence_length", 128}, {"batch_size", 8}});
  const Prepared fixed = from_message<Prepared>(prepare(requested));
  EXPECT_EQ(fixed.effective.at("calibration_shares_texts"), true) << "32 rows hold all texts";
}

TEST_F(WorkerSession, ReportsTheKernelThatRan) {
  Json requested = settings("bert-tiny");
  requested["attention"] = "eager";
  ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
  EXPECT_EQ(from_message<Warmed>(ask(to_message(WarmRequest{}))).effective.at("attention_kernel"), "eager");
}

// Of the operations: of the products in the format that the precision means, and the classifier head.
double share_as_asked(const Json& types, const std::string& precision) {
  const std::string format = precision.starts_with("int8") ? "int8" : precision;
  double share = 0;
  for (const Json& type : types) {
    if (type.at("weight") == format || type.at("small") == true) share += type.at("flop_share").get<double>();
  }
  return share;
}

TEST_F(WorkerSession, ReadsBackThePrecisionAndTheFormOfTheWeights) {
  // By what `describe` declares: each pair runs as it was asked, or is named as impossible.
  const auto described = from_message<Described>(ask(bare_message(verb::kDescribe)));
  for (const char* precision : {"fp32", "bf16", "fp16", "int8", "int8_static", "int8_weight_only"}) {
    for (const char* weights : {"plain", "prepacked"}) {
      for (const int batch_size : {1, 20}) {  // few rows and many: int8_weight_only computes them in two ways
        SCOPED_TRACE(fmt::format("{} {} {}", precision, weights, batch_size));
        Json requested = settings("bert-tiny");
        requested.update({{"precision", precision}, {"weights", weights}, {"batch_size", batch_size}});
        if (described.capabilities.why_not_together(requested)) continue;
        const Message ready = prepare(requested);
        ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
        EXPECT_EQ(from_message<Prepared>(ready).effective.at("weights"), weights);
        const Json effective = from_message<Warmed>(ask(to_message(WarmRequest{}))).effective;
        EXPECT_EQ(effective.at("precision"), precision);
        EXPECT_NEAR(share_as_asked(effective.at("linear_types"), precision), 1, 1e-3);
      }
    }
  }
}

// Of the pooled heads of BERT all but one token of a row, after its keys and values, are left out of the last layer.
TEST_F(WorkerSession, LeavesOutTokensThatNoOutputNeedsAsAsked) {
  Json requested = settings("bert-tiny");
  std::map<std::string, Outputs> outputs;
  std::map<std::string, double> ran;
  for (const char* tokens : {"all", "needed"}) {
    for (const char* fusion : {"none", "fused"}) {
      SCOPED_TRACE(fmt::format("{} {}", tokens, fusion));
      requested.update({{"head_tokens", tokens}, {"fusion", fusion}});
      EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("head_tokens"), tokens);
      ask(to_message(WarmRequest{}));
      MeasureRequest measure;
      measure.exactly = 1;
      const Measured measured = client_.measure(measure).measured;
      ran[tokens] = scalar(measured.series, "processed_flops");
      EXPECT_EQ(ran[tokens] < scalar(measured.series, "padded_flops"), tokens == std::string("needed"));
      EvaluateRequest request;
      request.outputs.emplace();
      outputs[std::string(tokens) + fusion] = client_.evaluate(request).outputs.value();
    }
  }
  EXPECT_LT(ran["needed"], ran["all"]);
  const Outputs& expected = outputs.at("allnone");
  for (const auto& [way, found] : outputs) {
    ASSERT_EQ(found.inputs, expected.inputs) << way;
    ASSERT_EQ(found.values.size(), expected.values.size()) << way;
    for (std::size_t i = 0; i < expected.values.size(); ++i) EXPECT_NEAR(found.values[i], expected.values[i], 1e-5);
  }
}

TEST_F(WorkerSession, ReadsBackAllTokensWhereTheModelKnowsNoOtherWay) {
  Json requested = settings("squeezebert-test");
  requested["head_tokens"] = "needed";
  EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("head_tokens"), "all");
}

TEST_F(WorkerSession, TellsWhichKernelOfAttentionATrialChose) {
  for (const char* attention : {"trial", "tiled"}) {
    Json requested = settings("bert-tiny");
    requested["precision"] = "bf16";
    requested["attention"] = attention;
    ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
    ask(to_message(WarmRequest{}));
    MeasureRequest request;
    request.exactly = 2;
    const Json effective = client_.measure(request).measured.effective;
    EXPECT_EQ(effective.contains("attention_trials"), attention == std::string("trial"));
    for (const Json& one : effective.value("attention_trials", Json::array())) {
      EXPECT_EQ(one.at("queries"), 16) << one;
      EXPECT_TRUE(one.at("kernel") == "sdpa" || one.at("kernel") == "tiled") << one;
      EXPECT_EQ(one.at("seconds").size() + one.at("refused").size(), 2U) << one;
    }
  }
}

TEST_F(WorkerSession, AnswersTheSameByEachKernelOfProducts) {
  Json requested = settings("bert-tiny");
  std::map<std::string, Outputs> outputs;
  for (const char* products : {"auto", "trial", "onednn", "mkl", "plain"}) {
    const bool is_plain = products == std::string("plain");
    requested["weights"] = is_plain ? "plain" : "prepacked";
    requested["products"] = is_plain ? "auto" : products;
    const Json effective = from_message<Prepared>(prepare(requested)).effective;
    EXPECT_EQ(effective.at("products"), requested["products"]);
    EXPECT_EQ(effective.contains("linear_trials"), products == std::string("auto") || products == std::string("trial"));
    const Json trials = effective.value("linear_trials", Json::array());
    const bool wants_to_keep =
        std::any_of(trials.begin(), trials.end(), [](const Json& one) { return one.at("steady").get<bool>(); });
    EXPECT_EQ(effective.contains("trials_not_kept"), wants_to_keep) << "the session has no cache folder";
    EvaluateRequest request;
    request.outputs.emplace();
    outputs[products] = client_.evaluate(request).outputs.value();
  }
  for (const auto& [products, answer] : outputs) {
    ASSERT_EQ(answer.values.size(), outputs["plain"].values.size()) << products;
    for (std::size_t i = 0; i < answer.values.size(); ++i) {
      EXPECT_NEAR(answer.values[i], outputs["plain"].values[i], 1e-5) << products;
    }
  }
}

TEST_F(WorkerSession, AnswersTheSameWithoutOneDnn) {
  Json requested = settings("bert-tiny");
  std::map<std::string, Outputs> outputs;
  for (const char* one_dnn : {"off", "on"}) {
    requested["one_dnn"] = one_dnn;
    EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("one_dnn"), one_dnn);
    EXPECT_EQ(at::globalContext().userEnabledMkldnn(), one_dnn == std::string("on"));
    EvaluateRequest request;
    request.outputs.emplace();
    outputs[one_dnn] = client_.evaluate(request).outputs.value();
  }
  ASSERT_EQ(outputs["off"].inputs, outputs["on"].inputs);
  ASSERT_EQ(outputs["off"].values.size(), outputs["on"].values.size());
  for (std::size_t i = 0; i < outputs["on"].values.size(); ++i) {
    EXPECT_NEAR(outputs["off"].values[i], outputs["on"].values[i], 1e-5);
  }
}

TEST_F(WorkerSession, OfACaseOfAnEarlierVersionFusionDecidesTheTokens) {
  Json requested = settings("bert-tiny");
  for (const char* fusion : {"none", "fused"}) {
    requested["fusion"] = fusion;
    EXPECT_EQ(from_message<Prepared>(prepare(requested)).effective.at("head_tokens"),
              fusion == std::string("fused") ? "needed" : "all");
  }
}

TEST_F(WorkerSession, CutsTheCycleOfNaturalLengths) {
  Json requested = settings("bert-tiny");
  requested["sequence_length"] = "natural";
  ASSERT_EQ(prepare(requested).type(), verb::kPrepared);
  const auto warmed = from_message<Warmed>(ask(to_message(WarmRequest{})));
  EXPECT_GT(warmed.cycle_batches, 10);
  MeasureRequest request;
  request.exactly = 12;
  request.cycle_batches = 4;  // of the 4 examples each that settings() asks for
  request.cycle_examples = 16;
  client_.send(to_message(request));
  std::int64_t largest_index = 0;
  int warmups = 0;
  int counted = 0;
  Message message = receive();
  for (; message.type() == verb::kSamples; message = receive()) {
    for (const Series& block : from_message<std::vector<Series>>(message)) {
      if (block.name != "latency") continue;
      for (const std::int64_t index : block.index) largest_index = std::max(largest_index, index);
      for (std::size_t i = 0; i < block.value.size(); ++i) {
        const bool is_warmup = (block.flags[i] & kSampleWarmup) != 0;
        (is_warmup ? warmups : counted) += 1;
        EXPECT_EQ(is_warmup, block.start_s[i] < 0);
      }
    }
  }
  EXPECT_EQ(largest_index, 3);
  EXPECT_EQ(warmups, 4) << "each shape of the cut cycle once";
  EXPECT_EQ(counted, 12);
  EXPECT_EQ(from_message<Measured>(message).effective.at("cycle_batches"), 4);
}

TEST_F(WorkerSession, PadsAFixedLengthByTheShareAskedFor) {
  Json requested = settings("bert-test");
  for (const char* data : {"bundled", "synthetic"}) {
    requested["data"] = data;
    requested["padding"] = 0.25;
    const Message ready = prepare(requested);
    ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
    const Json effective = from_message<Prepared>(ready).effective;
    EXPECT_EQ(effective.at("cycle").at("processed_tokens"), 4 * 16);
    EXPECT_EQ(effective.at("cycle").at("useful_tokens"), 48) << "16 of 64 tokens are padding";
    EXPECT_EQ(effective.at("attention_mask"), "on");
  }
}

TEST_F(WorkerSession, MakesSyntheticTextsOfADistribution) {
  Json requested = settings("bert-test");
  requested["data"] = "synthetic";
  requested["sequence_length"] = "natural";
  requested["length_distribution"] = "uniform:10:19";
  requested["limit"] = 100;
  requested["batch_size"] = 1;
  const Message ready = prepare(requested);
  ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
  const Json effective = from_message<Prepared>(ready).effective;
  EXPECT_EQ(effective.at("cycle").at("batches"), 100);
  EXPECT_EQ(effective.at("cycle").at("useful_tokens"), 10 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19));
  EXPECT_EQ(effective.at("data").at("labelled"), false);
}

TEST_F(WorkerSession, GivesAPresetTheClassesOfTheData) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("three-classes.csv", "text,label\ngood,b\nbad,a\nfine,c\n");
  Json requested = settings("bert-test");
  requested["data"] = file.string();
  requested["sequence_length"] = "natural";
  const Message ready = prepare(requested);
  ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
  EXPECT_EQ(from_message<Prepared>(ready).effective.at("model").at("labels"), 3);
}

TEST_F(WorkerSession, RefusesLabelsOutsideTheClassesOfACheckpoint) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("seven-classes.csv", "text,label\ngood,6\n");
  Json requested = settings(tiny());
  requested["data"] = file.string();
  requested["sequence_length"] = "natural";
  const Failed failed = expect_failed(requested);
  EXPECT_NE(failed.reason.find("2 classes"), std::string::npos) << failed.reason;
  EXPECT_NE(failed.reason.find("seven-classes.csv"), std::string::npos) << failed.reason;
}

TEST_F(WorkerSession, RefusesALengthBeyondThePositionTable) {
  Json requested = settings("bert-tiny");
  requested["sequence_length"] = 513;
  const Failed failed = expect_failed(requested);
  EXPECT_EQ(failed.status, Status::kUnsupportedShape);
  EXPECT_NE(failed.reason.find("513"), std::string::npos);
  EXPECT_NE(failed.reason.find("512"), std::string::npos);
}

TEST_F(WorkerSession, ReadsBackThePoolingAsked) {
  Json requested = settings("bert-test");
  requested["task"] = "embedding";
  requested["pooling"] = "cls";
  const Message ready = prepare(requested);
  ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
  EXPECT_EQ(from_message<Prepared>(ready).effective.at("model").at("pooling"), "cls");
}

TEST_F(WorkerSession, AnswersAVerbOutOfOrderWithAFailure) {
  const Message reply = ask(to_message(WarmRequest{}));
  ASSERT_EQ(reply.type(), verb::kFailed);
  EXPECT_NE(from_message<Failed>(reply).reason.find("prepare"), std::string::npos);
}

TEST_F(WorkerSession, PredictsAfterAPrepareWithoutData) {
  Json requested = settings(tiny());
  for (const char* name : {"data", "sequence_length", "limit"}) requested.erase(name);
  const Message ready = prepare(requested);
  ASSERT_EQ(ready.type(), verb::kPrepared) << ready.header.dump();
  EXPECT_EQ(from_message<Prepared>(ready).effective.at("model").at("trained"), true);
  PredictRequest request;
  request.inputs = {{"the film was very good .", {}, {}}};
  for (int block = 0; block < 2; ++block) {
    const Message reply = ask(to_message(request));
    ASSERT_EQ(reply.type(), verb::kPredicted) << reply.header.dump();
    EXPECT_EQ(from_message<Predicted>(reply).predictions.size(), 1U);
  }
  const Message refused = ask(to_message(WarmRequest{}));
  ASSERT_EQ(refused.type(), verb::kFailed);
  EXPECT_NE(from_message<Failed>(refused).reason.find("prepare with data"), std::string::npos);
}

TEST_F(WorkerSession, PredictsNothingWhenPreparedToMeasure) {
  ASSERT_EQ(prepare(settings(tiny())).type(), verb::kPrepared);
  const Message reply = ask(to_message(PredictRequest{}));
  ASSERT_EQ(reply.type(), verb::kFailed);
  EXPECT_NE(from_message<Failed>(reply).reason.find("prepare without data"), std::string::npos);
}

class BrokenCheckpoint : public WorkerSession {
 protected:
  BrokenCheckpoint() { fs::copy(tiny(), folder_); }

  // The header of the checkpoint with `from` replaced by `to` of the same length.
  void patch_weights(const std::string& from, const std::string& to) {
    ASSERT_EQ(from.size(), to.size());
    std::string bytes = read_file(folder_ / "model.safetensors");
    const std::size_t place = bytes.find(from);
    ASSERT_NE(place, std::string::npos);
    bytes.replace(place, from.size(), to);
    write_file_atomically(folder_ / "model.safetensors", bytes);
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path() / "broken-checkpoint";
};

TEST_F(BrokenCheckpoint, IsNotBrokenToBeginWith) {
  Json requested = settings(folder_.string());
  EXPECT_EQ(prepare(requested).type(), verb::kPrepared);
}

TEST_F(BrokenCheckpoint, NamesAMissingTensor) {
  patch_weights("distilbert.transformer.layer.0.ffn.lin1.weight", "distilbert.transformer.layer.0.ffn.linX.weight");
  const Failed failed = expect_failed(settings(folder_.string()));
  EXPECT_NE(failed.reason.find("layer.0.ffn.lin1.weight"), std::string::npos) << failed.reason;
}

TEST_F(BrokenCheckpoint, RefusesATokenizerWithMoreWordsThanTheModel) {
  std::ofstream(folder_ / "vocab.txt", std::ios::app) << "onemore\n";
  const Failed failed = expect_failed(settings(folder_.string()));
  EXPECT_NE(failed.reason.find("vocabulary"), std::string::npos) << failed.reason;
}

TEST_F(BrokenCheckpoint, NoticesATruncatedFile) {
  fs::resize_file(folder_ / "model.safetensors", fs::file_size(folder_ / "model.safetensors") - 100);
  const Failed failed = expect_failed(settings(folder_.string()));
  EXPECT_NE(failed.reason.find("truncated"), std::string::npos) << failed.reason;
}

TEST_F(BrokenCheckpoint, NamesAMisshapenTensor) {
  patch_weights("\"classifier.weight\":{\"dtype\":\"F32\",\"shape\":[2,32]",
                "\"classifier.weight\":{\"dtype\":\"F32\",\"shape\":[32,2]");
  const Failed failed = expect_failed(settings(folder_.string()));
  EXPECT_NE(failed.reason.find("classifier.weight"), std::string::npos) << failed.reason;
  EXPECT_NE(failed.reason.find("32"), std::string::npos) << failed.reason;
}

}  // namespace
}  // namespace transformeter
