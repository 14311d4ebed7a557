// A fine-tuning through the real command and the real worker: from a data set to a folder, through kills and faults.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/shell.h"
#include "schema/divergence.h"
#include "support/hub_server.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Finetune : public CommandTest {
 protected:
  void SetUp() override {
    use_real_worker();
    std::string table = "sentence\tlabel\n";
    for (int i = 0; i < 120; ++i) {
      table += i % 2 == 0 ? "a great film , truly good " : "a dull film , truly bad ";
      table += std::to_string(i) + "\t" + std::to_string(1 - i % 2) + "\n";
    }
    folder_.write("train.tsv", table);
  }
  static std::string begin(const std::string& output, const std::string& options = "") {
    return "$T finetune --model distilbert-test --data train.tsv --batch-size 8 --learning-rate 1e-3 --threads 1 "
           "--output " +
           output + " " + options + " ";
  }
  std::vector<Json> events(const std::string& output, const std::string& kind) const {
    std::istringstream lines(read_file_or_empty(folder_.path() / output / "log.jsonl"));
    std::vector<Json> found;
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line);
      if (event.at("event") == kind) found.push_back(event);
    }
    return found;
  }
  Json summary(const std::string& output) const {
    return Json::parse(read_file_or_empty(folder_.path() / output / "summary.json"));
  }
  fs::path newest_checkpoint(const std::string& output) const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(folder_.path() / output / "checkpoints")) {
      if (entry.path().filename() > newest.filename()) newest = entry.path();
    }
    return newest;
  }

  // Killed when some steps are told, and gone on with: the same log as one that was left alone.
  void expect_same_after_a_kill(const std::string& options, std::size_t least_steps) const {
    ASSERT_EQ(shell(begin("whole", options)).exit_code, 0);
    ASSERT_NO_FATAL_FAILURE(kill_on_the_way(begin("cut", options), "cut"));
    const ShellResult resumed = shell("$T finetune --resume cut");
    ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_THAT(resumed.errors, HasSubstr("continuing after step"));
    const std::vector<Json> one = events("whole", "step");
    const std::vector<Json> other = events("cut", "step");
    ASSERT_GE(one.size(), least_steps);
    ASSERT_EQ(other.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], other[i]) << "step " << i + 1;
    for (const char* what : {"steps", "stopped_early", "last_loss", "best", "best_step", "last_evaluation"}) {
      EXPECT_EQ(summary("whole").at(what), summary("cut").at(what)) << what;
    }
    EXPECT_EQ(read_file(folder_.path() / "whole/best/model.safetensors"),
              read_file(folder_.path() / "cut/best/model.safetensors"));
  }
};

TEST_F(Finetune, LearnsScoresAndGivesAFolderThatAnswers) {
  const ShellResult result =
      shell(begin("o", "--epochs 15 --evaluation-share 0.2 --warmup-ratio 0.1") +
            "&& $T predict --model o/best --text 'a great film , truly good 7' 'a dull film , truly "
            "bad 8' --format json > p.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("accuracy"));
  const std::vector<Json> steps = events("o", "step");
  ASSERT_EQ(steps.size(), 180U) << "96 rows learnt from, 12 steps an epoch";
  EXPECT_LT(steps.back().at("loss").get<double>(), 0.5 * steps.front().at("loss").get<double>());
  EXPECT_EQ(events("o", "evaluation").size(), 15U);
  EXPECT_EQ(summary("o").at("best"), 1.0) << "good and bad are told apart";
  const Json answers = Json::parse(read_file_or_empty(folder_.path() / "p.json")).at("predictions");
  EXPECT_EQ(answers.at(0).at("label"), "LABEL_1");
  EXPECT_EQ(answers.at(1).at("label"), "LABEL_0");
}

TEST_F(Finetune, NumbersAndSetsOfLabelsAreLearntAnsweredAndScored) {
  std::string values = "text\tlabel\n";
  std::string sets;
  for (int i = 0; i < 40; ++i) {
    const bool is_good = i % 2 == 0;
    values += fmt::format("a {} film {}\t{}\n", is_good ? "great" : "dull", i, is_good ? 1.5 : -0.5);
    sets += fmt::format("{{\"text\": \"a {} film {}\", \"labels\": {}}}\n", is_good ? "great" : "dull", i,
                        is_good ? R"(["good", "warm"])" : "[]");
  }
  struct Asked {
    const char* task;
    const char* file;
    const char* beginning;
    const char* headline;
  };
  folder_.write("values.tsv", values);
  folder_.write("sets.jsonl", sets);
  for (const Asked& asked : {Asked{"regression", "values.tsv", "30 rows", "pearson"},
                             Asked{"multi_label_classification", "sets.jsonl", "2 classes: good, warm", "micro_f1"}}) {
    SCOPED_TRACE(asked.task);
    const std::string task = std::string("--task ") + asked.task;
    const ShellResult learnt =
        shell(fmt::format("$T finetune --model distilbert-test {0} --data {1} --evaluation-share 0.25 --epochs 6 "
                          "--batch-size 8 --learning-rate 2e-3 --threads 1 --output {2}",
                          task, asked.file, asked.task));
    ASSERT_EQ(learnt.exit_code, 0) << learnt.errors;
    EXPECT_THAT(learnt.errors, HasSubstr(asked.beginning));
    EXPECT_EQ(learnt.errors.find("1 classes"), std::string::npos) << "a value is no class";
    const ShellResult scored =
        shell(fmt::format("$T predict --model {0}/best --data {1} --format predictions -o {0}.txt && "
                          "$T score {2} --data {1} --predictions {0}.txt --format json",
                          asked.task, asked.file, task));
    ASSERT_EQ(scored.exit_code, 0) << scored.errors;
    const Json score = Json::parse(scored.output).at("scores").at(0);
    EXPECT_EQ(score.at("score"), asked.headline);
    EXPECT_GT(score.at("value").get<double>(), 0.9) << "nothing was learnt";
  }
}

TEST_F(Finetune, ItsFolderCanBePushedAndIsTheSameModelFromTheHub) {
  const HubServer hub;
  ASSERT_EQ(shell(begin("o", "--steps 3")).exit_code, 0);
  const ShellResult result = shell("export HF_HOME=$PWD/hf HF_TOKEN=hf_secret HF_ENDPOINT=" + hub.endpoint() + R"(
unset HF_HUB_CACHE HF_HUB_OFFLINE TRANSFORMERS_OFFLINE HF_TOKEN_PATH
$T push o/best org/mine --create && for model in o/best org/mine; do
  $T predict --model $model --threads 1 --text 'a great film' -o $(basename $model).jsonl || exit; done)");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const char* file : {"config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json"}) {
    EXPECT_EQ(read_file(hub.root() / "models/org/mine" / file), read_file(folder_.path() / "o/best" / file)) << file;
  }
  const std::string answer = read_file(folder_.path() / "best.jsonl");
  EXPECT_THAT(answer, HasSubstr("logits"));
  EXPECT_EQ(read_file(folder_.path() / "mine.jsonl"), answer);
}

TEST_F(Finetune, GoesOnAfterAKillBitForBit) {
  expect_same_after_a_kill(
      "--steps 20 --checkpoint-steps 3 --evaluation-share 0.2 --evaluation-steps 10 --optimizer adamw", 20);
}

// The place within an epoch of steps that end early, the scores that were no better and the streams of dropout come
// back.
TEST_F(Finetune, PatienceAccumulationAndDropoutSurviveAKill) {
  expect_same_after_a_kill(
      "--steps 40 --checkpoint-steps 3 --evaluation-share 0.2 --evaluation-steps 4 --patience 3 "
      "--gradient-accumulation 2 --dropout config",
      16);
}

TEST_F(Finetune, ADamagedCheckpointIsPassedOver) {
  ASSERT_EQ(shell(begin("o", "--steps 6 --checkpoint-steps 2 --keep 5")).exit_code, 0);
  const fs::path weights = newest_checkpoint("o") / "model.safetensors";
  fs::resize_file(weights, fs::file_size(weights) - 100);
  const ShellResult result = shell("$T finetune --resume o");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("skipped"), HasSubstr("continuing after step 4")));
  EXPECT_EQ(events("o", "step").size(), 6U);
}

TEST_F(Finetune, WhereNoCheckpointIsWholeNothingIsBegunAnew) {
  ASSERT_EQ(shell(begin("o", "--steps 4 --checkpoint-steps 2")).exit_code, 0);
  const std::string log = read_file(folder_.path() / "o/log.jsonl");
  ASSERT_EQ(shell("for f in o/checkpoints/*/training.json; do echo '{' > $f; done").exit_code, 0);
  const ShellResult result = shell("$T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("none of 2 checkpoints is complete"), HasSubstr("training.json")));
  EXPECT_TRUE(read_file(folder_.path() / "o/log.jsonl").starts_with(log)) << "the history stays";
  EXPECT_TRUE(fs::exists(folder_.path() / "o/best/model.safetensors"));
}

TEST_F(Finetune, SaysHowToGoOn) {
  const ShellResult killed =
      shell(begin("o", "--steps 100000") +
            "& pid=$!; until [ -s o/log.jsonl ] || ! kill -0 $pid; do sleep 0.01; done; pkill -9 -P $pid; wait $pid");
  EXPECT_EQ(killed.exit_code, 1);
  EXPECT_THAT(killed.errors, HasSubstr("continue with: transformeter finetune --resume o"));
}

TEST_F(Finetune, SaysWhatItBeginsWith) {
  const ShellResult result = shell(begin("o", "--steps 1"));
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("2 classes: "), HasSubstr("seeded random, seed 0: presets are untrained")));
}

TEST_F(Finetune, EndsEarlyWhenScoresGetNoBetter) {
  const ShellResult result = shell(begin("o", "--epochs 50 --evaluation-share 0.2 --patience 2"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(summary("o").at("stopped_early"), true);
  EXPECT_LT(summary("o").at("steps").get<int>(), 600);
}

TEST_F(Finetune, AWarmUpThatOutlastsTheTrainingIsRefused) {
  const ShellResult result = shell(begin("o", "--steps 4 --warmup-steps 5"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("warmup_steps '5'"), HasSubstr("from 0 to 4, the steps of this training")));
  EXPECT_FALSE(fs::exists(folder_.path() / "o/checkpoints"));
  ASSERT_EQ(shell(begin("o", "--steps 2")).exit_code, 0);
  const ShellResult resumed = shell(
      R"(sed -i 's/"warmup_steps": *0/"warmup_steps": 9/' o/finetune.json && grep -q '"warmup_steps": 9' o/finetune.json )"
      "&& rm o/summary.json && $T finetune --resume o");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors << "what was begun before this was refused goes on";
}

TEST_F(Finetune, ALossThatIsNoNumberKeepsTheLastCheckpoint) {
  const ShellResult result =
      shell(begin("o",
                  "--steps 200 --checkpoint-steps 1 --optimizer sgd --max-gradient-norm none --schedule constant "
                  "--warmup-steps 3 --dropout off")
                .replace(begin("o").find("1e-3"), 4, "1e30"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("step "), HasSubstr(std::string(kDivergedLoss)), HasSubstr("learning_rate")));
  EXPECT_TRUE(fs::exists(newest_checkpoint("o") / "training.json"));
}

// With two checkpoints of four, the third meets the disk's end.
TEST_F(Finetune, AFullDiskLosesNothing) {
  ASSERT_EQ(shell(begin("whole", "--steps 4 --checkpoint-steps 1 --keep 5")).exit_code, 0);
  ASSERT_EQ(
      shell("cp -r whole o; rm -r o/checkpoints/step-00000003 o/checkpoints/step-00000004 o/summary.json").exit_code,
      0);
  const ShellResult result = shell("trap '' XFSZ; ulimit -f 900; $T finetune --resume o");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("cannot write"), HasSubstr("o/checkpoints/")));
  EXPECT_EQ(newest_checkpoint("o").filename(), "step-00000002");
  const ShellResult resumed = shell("$T finetune --resume o");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors << "with room it goes on";
  EXPECT_THAT(resumed.errors, HasSubstr("continuing after step 2"));
  EXPECT_EQ(events("o", "step"), events("whole", "step"));
}

TEST_F(Finetune, AFileThatCannotBeWrittenAtTheEndIsAFaultAsAnyOther) {
  const ShellResult result = shell("mkdir -p o/summary.json; " + begin("o", "--steps 1"));
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("o/summary.json"));
  EXPECT_TRUE(fs::exists(folder_.path() / "o/best/model.safetensors"));
}

TEST_F(Finetune, AScoreOfOutputsThatAreNoNumbersIsADivergence) {
  const ShellResult result = shell(begin("o",
                                         "--steps 1 --optimizer sgd --max-gradient-norm none --schedule constant "
                                         "--dropout off --evaluation-share 0.2")
                                       .replace(begin("o").find("1e-3"), 4, "1e30"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("the evaluation after step 1"), HasSubstr("NaN or infinite"),
                                   HasSubstr("learning_rate")));
}

TEST_F(Finetune, WhatATrainingLacksIsRefusedAndNotLeftOut) {
  ShellResult result = shell(begin("o", "--steps 1 --precision int8"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("int8"));
  result = shell(begin("o", "--steps 1 --precision fp16 --device cpu"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("fp16"));
  result = shell(begin("o", "--steps 1 --batching bucketed --sequence-length 16"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("use batching padded"));
  // Only the first step finds out.
  result = shell(begin("o", "--steps 1 --attention flash --dropout config"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("flash"));
  EXPECT_FALSE(fs::exists(folder_.path() / "o"));
  EXPECT_THAT(shell("$T finetune --help-all").output, testing::Not(HasSubstr("int8")));
}

TEST_F(Finetune, RowsOfAFixedLengthArePaddedWhereNobodyAsks) {
  ASSERT_EQ(shell(begin("o", "--steps 1 --sequence-length 16")).exit_code, 0);
  EXPECT_EQ(events("o", "started").at(0).at("effective").at("batching"), "padded");
  ASSERT_EQ(shell(begin("n", "--steps 1 --precision bf16_autocast")).exit_code, 0);
  EXPECT_EQ(events("n", "started").at(0).at("effective").at("batching"), "bucketed");
  EXPECT_EQ(events("n", "started").at(0).at("effective").at("precision"), "bf16_autocast");
}

TEST_F(Finetune, GoesOnFromAnotherWorkingFolder) {
  folder_.write("classes.txt", "0\n1\n");
  ASSERT_EQ(shell(begin("o", "--steps 2 --labels classes.txt")).exit_code, 0);
  EXPECT_EQ(shell("mkdir elsewhere && cd elsewhere && $T finetune --resume ../o").exit_code, 0);
  folder_.write("classes.txt", "1\n0\n");
  ShellResult result = shell("$T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("classes.txt' has changed"));
  fs::remove(folder_.path() / "classes.txt");
  result = shell("$T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("classes.txt' is missing"), testing::Not(HasSubstr("changed"))));
}

TEST_F(Finetune, AModelWhoseDescriptionHasChangedIsAnotherTraining) {
  const fs::path model = source_directory() / "tests/data/models/tiny-distilbert-classifier";
  const std::string options = "--batch-size 8 --threads 1 --steps 2 --sequence-length 16 --output o";
  const ShellResult begun =
      shell("cp -r " + model.string() + " m && $T finetune --model m --data train.tsv " + options);
  ASSERT_EQ(begun.exit_code, 0) << begun.errors;
  ASSERT_EQ(shell("$T finetune --resume o").exit_code, 0);
  ShellResult result = shell("echo ' ' >> m/config.json; $T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("m/config.json' has changed"));
  result =
      shell("cp " + (model / "config.json").string() + " m/; echo '{}' > m/added_tokens.json; $T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("m/added_tokens.json' did not exist"));
}

TEST_F(Finetune, WhatWasSettledIsGoneOnWith) {
  ASSERT_EQ(shell("$T finetune --model distilbert-test --data train.tsv --steps 1 --output o").exit_code, 0);
  const Json settings = Json::parse(read_file_or_empty(folder_.path() / "o/finetune.json")).at("settings");
  EXPECT_EQ(settings.at("model"), "distilbert-test");
  EXPECT_EQ(settings.at("scenario"), "finetune");
  EXPECT_EQ(settings.at("threads"), events("o", "started").at(0).at("effective").at("threads"));
  for (const auto& [name, value] : settings.items()) {
    if (name == "memory_limit") continue;  // what is free is found at each start
    EXPECT_NE(value, "auto") << name;
  }
  const ShellResult resumed = shell(
      "one=$(sed -n 's/Cpus_allowed_list:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/self/status); "
      "taskset -c $one $T finetune --resume o");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(events("o", "started").at(1).at("effective").at("threads"), settings.at("threads"));
}

TEST_F(Finetune, TwoDoNotWriteToOneOutput) {
  ASSERT_EQ(shell(begin("o", "--steps 1")).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "o/.lock"));
  ShellResult result = shell("flock o/.lock $T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("another finetune is writing to 'o'"));
  EXPECT_EQ(shell("$T finetune --resume o").exit_code, 0) << "a lock file that nobody holds";
  result = shell("mkdir n; flock n/.lock " + begin("n", "--steps 1"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("another finetune is writing to 'n'"));
}

TEST_F(Finetune, AHalfLineOfTheLogIsDropped) {
  ASSERT_EQ(shell(begin("o", "--steps 2")).exit_code, 0);
  std::ofstream(folder_.path() / "o/log.jsonl", std::ios::app) << R"({"event":"step","st)";
  const ShellResult result = shell("$T finetune --resume o");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(events("o", "started").size(), 2U);
  EXPECT_EQ(events("o", "resumed").size(), 1U);
  EXPECT_EQ(events("o", "step").size(), 2U);
}

TEST_F(Finetune, OptionsThatWouldDoNothingAreRefused) {
  for (const char* option : {"--evaluation-steps 2", "--patience 2", "--evaluation-split val"}) {
    const ShellResult result = shell(begin("o", std::string("--steps 1 ") + option));
    EXPECT_EQ(result.exit_code, 3) << option;
    EXPECT_THAT(result.errors, HasSubstr("give --evaluation-data")) << option;
  }
  ShellResult result = shell(begin("o", "--steps 1 --stride 64"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("stride only applies to task question_answering"));
  result = shell("$T finetune --model bert-test --data bundled --labels train.tsv --steps 1 --output o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("labels only applies to a data file"));
  result =
      shell("$T finetune --model bert-test --task regression --data train.tsv --labels train.tsv --steps 1 --output o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("labels only applies to a data file with classes"));
  result = shell(begin("o", "--steps 1 --checkpoint-minutes 0"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("checkpoint_minutes '0'"));
  result = shell(begin("o", "--epochs ''"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("--epochs is empty"));
}

TEST_F(Finetune, AdaptersAreWrittenForPeftOrMerged) {
  const std::string model = (source_directory() / "tests/data/models/tiny-distilbert-classifier").string();
  const auto begun = [&](const std::string& options) {
    return shell("[ -d m ] || cp -r " + model +
                 " m; $T finetune --model m --data train.tsv --batch-size 8 --threads 1 --steps 2 "
                 "--sequence-length 16 --lora-rank 4 " +
                 options);
  };
  const ShellResult adapter = begun("--output a");
  ASSERT_EQ(adapter.exit_code, 0) << adapter.errors;
  EXPECT_THAT(adapter.errors, HasSubstr("parameters are trainable"));
  const Json config = Json::parse(read_file_or_empty(folder_.path() / "a/best/adapter_config.json"));
  EXPECT_EQ(config.at("base_model_name_or_path"), (folder_.path() / "m").string());
  EXPECT_EQ(config.at("modules_to_save"), Json({"pre_classifier", "classifier"}));
  const auto options_in = [&](const char* folder) {
    return Json::parse(read_file_or_empty(folder_.path() / folder / "finetune.json")).at("options");
  };
  EXPECT_EQ(options_in("a").at("base_model"), (folder_.path() / "m").string());
  const ShellResult merged = begun("--lora-targets all-linear --merge-adapter --output w");
  ASSERT_EQ(merged.exit_code, 0) << merged.errors;
  EXPECT_FALSE(options_in("w").contains("base_model"));
  EXPECT_EQ(shell("$T predict --model w/best --text 'a great film'").exit_code, 0);
  const ShellResult beside = shell("echo > m/unrelated.safetensors; $T finetune --resume a");
  EXPECT_EQ(beside.exit_code, 0) << beside.errors;
  const ShellResult changed = shell(
      "end=$(($(stat -c %s m/model.safetensors) - 1)); "
      "printf '\\101' | dd of=m/model.safetensors bs=1 seek=$end conv=notrunc status=none; $T finetune --resume a");
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_THAT(changed.errors, HasSubstr("m/model.safetensors' has changed"));
  const ShellResult damaged = shell("echo >> m/model.safetensors; $T finetune --resume a");
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.errors, HasSubstr("the model or the data differ from the start of the fine-tuning or cannot be"));
}

TEST_F(Finetune, AdaptersThatNobodyCouldLoadAreRefused) {
  ShellResult result = shell(begin("o", "--steps 1 --lora-rank 4"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("a preset's weights are random"), HasSubstr("--merge-adapter")));
  result = shell(begin("o", "--steps 1 --merge-adapter"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("--merge-adapter needs an adapter: give --lora-rank"));
  result = shell(begin("o", "--steps 1 --lora-alpha 4"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("lora_alpha only applies to lora_rank N"));
  result = shell(begin("o", "--steps 1 --lora-rank 4 --lora-targets q_lim --merge-adapter"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("Did you mean 'q_lin'?"));
  EXPECT_FALSE(fs::exists(folder_.path() / "o"));
}

TEST_F(Finetune, BadInputIsSaidBeforeAnythingIsTrained) {
  ShellResult result = shell(begin("o", "--steps 1 --learning-rate 0"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(shell(begin("o", "--steps 2")).exit_code, 0);
  result = shell(begin("o", "--steps 1"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("--resume o"));
  result = shell("$T finetune --resume o --steps 9");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("--steps cannot be changed"));
  folder_.write("train.tsv", "sentence\tlabel\nother\t0\nwords\t1\n");
  result = shell("$T finetune --resume o");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("train.tsv' has changed"));
  folder_.write("dev.tsv", "sentence\tlabel\nother\t7\n");
  result = shell(begin("n", "--evaluation-data dev.tsv --steps 1"));
  EXPECT_EQ(result.exit_code, 3) << "a label outside the classes";
  EXPECT_THAT(result.errors, HasSubstr("dev.tsv:2: label '7' is not valid; expected"));
  EXPECT_FALSE(fs::exists(folder_.path() / "n")) << "what cannot begin leaves nothing behind";
  EXPECT_EQ(shell("$T finetune --resume nothing").exit_code, 3);
}

TEST_F(Finetune, WhatIsThereAlreadyIsNeitherReplacedNorGoneOnFrom) {
  for (const char* taken : {"o/best", "o/checkpoints/step-00000007"}) {
    fs::remove_all(folder_.path() / "o");
    fs::create_directories(folder_.path() / taken);
    const ShellResult result = shell(begin("o", "--steps 1"));
    EXPECT_EQ(result.exit_code, 3) << taken;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("' already exists"), HasSubstr("another --output"))) << taken;
    EXPECT_TRUE(fs::is_empty(folder_.path() / taken)) << taken;
    EXPECT_FALSE(fs::exists(folder_.path() / "o/finetune.json"));
  }
}

TEST_F(Finetune, ADataSetShorterThanABatchIsABatch) {
  folder_.write("train.tsv", "sentence\tlabel\ngood\t1\nbad\t0\n");
  const ShellResult result = shell(begin("o", "--epochs 2"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(events("o", "step").size(), 2U);
  EXPECT_EQ(events("o", "step")[0].at("examples"), 2);
}

}  // namespace
}  // namespace transformeter
