// A model that encodes a text and makes another of it, as a user measures and asks it, with the real worker.
#include <gmock/gmock.h>

#include <string>

#include "base/files.h"
#include "cli/forecast_case.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

class T5 : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  static std::string source(const std::string& path) { return (source_directory() / "tests/data" / path).string(); }
  ShellResult run(const std::string& options) const {
    return shell("$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 4 " + options);
  }
};

TEST_F(T5, EachTaskMeasuresWhatItReads) {
  const ShellResult result =
      run("--model t5-test --task embedding,seq2seq_lm --batch-size 2 --sequence-length 16 --precision fp32,bf16,int8 "
          "--engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 12U);
  // Two layers of two heads of 24 on 64, with 128 inside and a gate; a bias of 32 rows.
  const std::int64_t attention = 4 * 64 * 48 + 64, network = 3 * 64 * 128 + 64, bias = 32 * 2, norm = 64;
  const std::int64_t encoder = 4096 * 64 + 2 * (attention + network) + bias + norm;
  const std::int64_t decoder = 2 * (2 * attention + network) + bias + norm + 4096 * 64;
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    const bool makes_text = one.requested.at("task") == "seq2seq_lm";
    EXPECT_EQ(one.effective.at("model").at("parameters"), encoder + (makes_text ? decoder : 0));
    const bool packs = one.requested.at("engine") == "fast" && !makes_text;
    EXPECT_EQ(one.effective.at("batching"), packs ? "packed" : "padded");
  }
}

TEST_F(T5, GeneratesUnlessAsked) {
  const ShellResult result =
      run("--model t5-test --scenario generate --prompt-length 16 --new-tokens 4 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.requested.at("task"), "seq2seq_lm");
  EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
  // Two layers with keys and values of 48 numbers, of 4 tokens and of 16 that were encoded.
  EXPECT_EQ(first_value(one, "cache_bytes"), 2 * (4 + 16) * 2 * 48 * 4);
  const ShellResult other = run("--model t5-test --scenario generate --task embedding --precision fp32");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(load().cases.at(0).status, Status::kUnsupported);
  EXPECT_THAT(load().cases.at(0).status_reason,
              HasSubstr("needs task causal_lm or seq2seq_lm; task embedding does not generate text"));
}

TEST_F(T5, MeasuresRequestsWithBeams) {
  const ShellResult result =
      run("--model t5-test --scenario generate --prompt-length 16 --new-tokens 4 --num-beams 1,4 --engine pytorch,fast "
          "--precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    // As of greedy requests, but keys and values of new tokens for each beam. The text's are kept once.
    const auto beams = one.requested.at("num_beams").get<std::int64_t>();
    EXPECT_EQ(first_value(one, "cache_bytes"), 2 * (beams * 4 + 16) * 2 * 48 * 4);
    const std::vector<Series>& series = one.replicates.at(0).series;
    EXPECT_EQ(find_series(series, "decode_step")->value.size(), 3 * find_series(series, "latency")->value.size());
  }
  const ShellResult batches = run("--model t5-test --num-beams 4 --precision fp32");
  EXPECT_EQ(batches.exit_code, 3);
  EXPECT_THAT(batches.errors, HasSubstr("num_beams only applies to scenario generate"));
}

TEST_F(T5, PredictsTheTextOfTransformers) {
  const Json texts = parse_json("texts", read_file(source("models/tiny-t5/texts.json")));
  const std::string text = "a dull story, slow and sad; the worst hour of my time";
  const ShellResult result =
      shell("$T predict --model " + source("models/tiny-t5") +
            " --task text2text-generation --max-new-tokens 8 --format jsonl --text '" + text + "'");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("generated_ids"), texts.at("generated").at(text));
}

TEST_F(T5, PredictsTheBestTextOfSeveralBeams) {
  const std::string predict =
      "$T predict --max-new-tokens 8 --text 'the film was very good' 'a dull story' --format jsonl --model ";
  const std::string model = source("models/tiny-t5") + " ";
  const ShellResult asked = shell(predict + model + "--num-beams 4 --length-penalty 2 --early-stopping on");
  ASSERT_EQ(asked.exit_code, 0) << asked.errors;
  EXPECT_LT(Json::parse(asked.output.substr(0, asked.output.find('\n'))).at("score").get<double>(), 0);
  // The folder says the same.
  const ShellResult saved = shell("cp -r " + model +
                                  "m && sed -i '2i \"num_beams\": 4, \"length_penalty\": 2.0, \"early_stopping\": "
                                  "true,' m/generation_config.json; " +
                                  predict + "m");
  ASSERT_EQ(saved.exit_code, 0) << saved.errors;
  EXPECT_EQ(saved.output, asked.output);
  const ShellResult greedy = shell(predict + "m --num-beams 1");
  ASSERT_EQ(greedy.exit_code, 0) << greedy.errors;
  EXPECT_EQ(greedy.output, shell(predict + model).output);
}

TEST_F(T5, RefusesBeamsThatItCannotHave) {
  const auto refused = [&](const std::string& options, const std::string& reason) {
    const ShellResult result = shell("$T predict --model " + source("models/tiny-t5") + " --text a " + options);
    EXPECT_EQ(result.exit_code, 3) << options;
    EXPECT_THAT(result.errors, HasSubstr(reason)) << options;
  };
  refused("--num-beams 0", "num-beams '0' is not valid; expected a whole number from 1 to 1024");
  refused("--num-beams 4 --length-penalty 20", "length-penalty '20' is not valid; expected a number from -10 to 10");
  refused("--num-beams 4 --early-stopping soon", "early-stopping 'soon' is not known; allowed: off, on, never");
  refused(
      "--length-penalty 2",
      "length-penalty '2' is not valid: it applies to several beams, and text is generated greedily. Use --num-beams "
      "2 or more.");
  refused("--early-stopping on --num-beams 1", "early-stopping 'on' is not valid: it applies to several beams");
  refused("--num-beams 4 --task embedding", "--num-beams is for --task causal_lm or seq2seq_lm, not for embedding");
  refused("--num-beams 512", "num_beams 512 needs a vocabulary of 1024 tokens or more");
}

TEST_F(T5, SaysBeforeItRunsThatNoFileNamesTheFirstToken) {
  const std::string copied = "cp -r " + source("models/tiny-t5") +
                             " m && sed -i /decoder_start_token_id/d m/config.json m/generation_config.json; ";
  const std::string options = "--peaks off --store r.db --batch-size 2 --sequence-length 8 --precision fp32";
  folder_.write("pairs.csv", "text,target\na,b\nc,d\n");
  for (const std::string& command :
       {"$T run --model m --task seq2seq_lm " + options, std::string("$T predict --model m --task seq2seq_lm --text a"),
        "$T train --model m --task seq2seq_lm --data synthetic " + options,
        std::string("$T finetune --model m --task seq2seq_lm --data pairs.csv --steps 1 --batch-size 2 --output o")}) {
    const ShellResult result = shell("rm -rf m; " + copied + command);
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_THAT(result.errors, HasSubstr("add decoder_start_token_id")) << command;
  }
  const ShellResult encoded = shell("$T predict --model m --task embedding --text a");
  EXPECT_EQ(encoded.exit_code, 0) << encoded.errors;
}

TEST_F(T5, RefusesWhatItDoesNotDo) {
  const ShellResult packed =
      run("--model t5-test --task seq2seq_lm --batching packed --batch-size 2 --sequence-length 16 --precision fp32");
  EXPECT_EQ(packed.exit_code, 1);
  EXPECT_EQ(load().cases.at(0).status, Status::kUnsupported);
  EXPECT_THAT(load().cases.at(0).status_reason,
              HasSubstr("task seq2seq_lm does not support packed rows; use batching padded or bucketed"));
  const ShellResult trained = shell("$T train --model t5-test --batching packed --batch-size 2 --store t.db");
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_EQ(load("t.db").cases.at(0).status, Status::kUnsupported);
  EXPECT_THAT(load("t.db").cases.at(0).status_reason, HasSubstr("task seq2seq_lm does not support packed rows"));
  const std::string predict = "$T predict --model " + source("models/tiny-t5") + " --text a ";
  const ShellResult classes = shell(predict + "--task sequence_classification");
  EXPECT_EQ(classes.exit_code, 3);
  EXPECT_THAT(classes.errors, HasSubstr("task 'sequence_classification' is not available for family 't5'; available: "
                                        "embedding, seq2seq_lm."));
  const ShellResult embedded = shell(predict + "--task embedding --max-new-tokens 3");
  EXPECT_EQ(embedded.exit_code, 3);
  EXPECT_THAT(embedded.errors, HasSubstr("--max-new-tokens is for --task causal_lm or seq2seq_lm, not for embedding"));
  const ShellResult tuned =
      shell("$T finetune --model " + source("models/tiny-t5") + " --task feature-extraction --data a.csv --output o");
  EXPECT_EQ(tuned.exit_code, 3);
  EXPECT_THAT(tuned.errors, HasSubstr("finetune does not train task 'embedding'; allowed: sequence_classification, "));
}

TEST_F(T5, TrainsOnRandomTexts) {
  const ShellResult result = shell(
      "$T train --model t5-test --precision fp32,bf16_autocast --engine pytorch,fast --gradient-checkpointing off,on "
      "--gradient-accumulation 2 --batch-size 2 --sequence-length 16 --threads 1 --peaks off --warmup 1 --samples 2 "
      "--store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 8U);
  // Of a token: matrices of an encoder's and a decoder's layer, and the head; of pairs of tokens in three attentions.
  const double attention = 4 * 2 * 64 * 48, network = 3 * 2 * 64 * 128, pairs = 4 * 16 * 48;
  const double token = 2 * (attention + network + pairs) + 2 * (2 * attention + network + 2 * pairs) + 2 * 64 * 4096;
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.requested.at("data"), "synthetic");
    EXPECT_EQ(one.effective.at("batching"), "padded");
    EXPECT_EQ(first_value(one, "useful_step_flops"), 3 * 2 * 2 * 16 * token);
    EXPECT_GT(first_value(one, "loss"), 1) << "nats of a token among 4,096";
  }
}

// No logits of tiny-t5 are scaled, as none of mT5 are: the same weights learn the same.
TEST_F(T5, MultilingualOnesLearnAlike) {
  const std::string options =
      " --task seq2seq_lm --data synthetic --sequence-length 8 --batch-size 2 --precision fp32 --dropout off "
      "--threads 1 --peaks off --warmup 1 --samples 4 --store ";
  const ShellResult result =
      shell("cp -r " + source("models/tiny-t5") +
            " m && sed -i 's/T5For/MT5For/; s/\"t5\"/\"mt5\"/' m/config.json && $T train --model m" + options +
            "m.db && $T train --model " + source("models/tiny-t5") + options + "r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const auto losses = [&](const char* store) {
    const RunRecord record = load(store);
    return find_series(record.cases.at(0).replicates.at(0).series, "loss")->value;
  };
  EXPECT_EQ(load("m.db").cases.at(0).effective.at("model").at("family"), "mt5");
  EXPECT_THAT(losses("m.db"), testing::Pointwise(testing::DoubleNear(1e-4), losses("r.db")));
}

TEST_F(T5, LearnsPairsByHeart) {
  folder_.write("pairs.jsonl",
                "{\"source\": \"the film was very good\", \"target\": \"a good film\"}\n"
                "{\"source\": \"slow and dull\", \"target\": \"bad\"}\n");
  const ShellResult result = shell(
      "$T train --model t5-test --data pairs.jsonl --sequence-length natural --batching padded --batch-size 2 "
      "--precision fp32 --dropout off --learning-rate 5e-3 --threads 1 --peaks off --warmup 1 --samples 40 --store "
      "r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const std::vector<double> losses = find_series(load().cases.at(0).replicates.at(0).series, "loss")->value;
  EXPECT_LT(losses.back(), losses.front() / 2);
}

TEST_F(T5, FineTunesOnATableAndWritesAFolderThatMakesTexts) {
  std::string table = "document\tsummary\n";
  for (int i = 0; i < 24; ++i) {
    table += i % 2 == 0 ? "the film was very good\tgood film\n" : "a dull story , slow and sad\tbad story\n";
  }
  folder_.write("pairs.tsv", table);
  const std::string finetune = "$T finetune --model " + source("models/tiny-t5") + " --task seq2seq_lm --threads 1 ";
  const ShellResult result = shell(finetune +
                                   "--data pairs.tsv --evaluation-share 0.25 --epochs 20 --batch-size 6 "
                                   "--learning-rate 3e-3 --output o --format json > summary.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json scores = parse_json("summary", read_file(folder_.path() / "summary.json")).at("last_evaluation");
  EXPECT_EQ(scores.at("headline"), "perplexity");
  EXPECT_LT(scores.at("scores").at("perplexity").at("value").get<double>(), 2.5) << "both targets were seen";
  const ShellResult predicted =
      shell("$T predict --model o/best --max-new-tokens 8 --format jsonl --text 'the film was very good'");
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_TRUE(Json::parse(predicted.output).contains("generated_ids"));
  const auto refused = [&](const std::string& options, const std::string& reason) {
    const ShellResult refusal = shell(finetune + options + " --steps 1 --output p");
    EXPECT_EQ(refusal.exit_code, 3) << options;
    EXPECT_THAT(refusal.errors, HasSubstr(reason)) << options;
  };
  refused("--data bundled", "a table of texts and targets");
  refused("--data synthetic", "a table of texts and targets");
  refused("--data pairs.tsv --label-column title", "label column 'title'");
  refused("--data pairs.tsv --batching packed", "does not support packed rows");
  folder_.write("texts.csv", "text,label\na,1\n");
  refused("--data texts.csv", "have no target texts, which training needs");
  refused("--data pairs.tsv --evaluation-data texts.csv", "have no target texts, which evaluation needs");
}

TEST_F(T5, NewTokensTakeNoRoomFromTheText) {
  const std::string predict =
      "$T predict --model " + source("models/tiny-t5") + " --task seq2seq_lm --max-new-tokens 8 --text a ";
  const ShellResult fits = shell(predict + "--max-length 8");
  EXPECT_EQ(fits.exit_code, 0) << fits.errors;
  const ShellResult exceeds = shell(predict + "--max-length 1");
  EXPECT_EQ(exceeds.exit_code, 3);
  EXPECT_THAT(exceeds.errors, HasSubstr("tokens exceed the limit of 1; shorten the text"));
}

}  // namespace
}  // namespace transformeter
