// A fine-tuning as it goes on by a clock of the test's, with scores that are made up.
#include "session/fine_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "spec/checkpoint.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

// Perplexities in their order.
class MadeUpScores final : public Validation {
 public:
  explicit MadeUpScores(std::vector<double> values) : values_(std::move(values)) {}
  ValidationResult validate(const Training& /*training*/, const std::function<void()>& /*alive*/) const override {
    Score score;
    score.name = "perplexity";
    score.estimate = {values_.at(next_++), std::nullopt, 1};
    score.counts = "tokens";
    return {{score}, std::nullopt, true};
  }

 private:
  std::vector<double> values_;
  mutable std::size_t next_ = 0;
};

class FineTuningTest : public testing::Test {
 protected:
  FineTuningTest() {
    options_.output = (folder_.path() / "o").string();
    options_.steps = 12;
    options_.evaluation_steps = 1000;  // the last step alone
  }

  Training training() const {
    Case request;
    request.model = model_;
    request.task = task_;
    request.scenario = Scenario::kFinetune;
    request.data = data_;
    request.batch_size = 4;
    request.sequence_length = 16;
    request.limit = 64;
    request.precision = "fp32";
    request.attention = "sdpa";
    request.device = "cpu";
    request.learning_rate = 1e-3;
    request.loader_threads = 0;
    request.lora_rank = lora_rank_;
    return load_training(request, context_, parts_, [&](const Training& begun) { return read_rows(begun, context_); });
  }

  // After each event `clock_` goes on by `pause`.
  Json run(std::unique_ptr<Validation> validation, const std::string& pausing_event = "",
           std::chrono::nanoseconds pause = {}) {
    FineTuning fine_tuning(training(), std::move(validation), options_, clock_, [&](const Json& event) {
      events_.push_back(event);
      if (event.at("event") == pausing_event) clock_.advance(pause);
    });
    return fine_tuning.run();
  }

  std::vector<std::int64_t> steps_of(const std::string& kind) const {
    std::vector<std::int64_t> steps;
    for (const Json& event : events_) {
      if (event.at("event") == kind) steps.push_back(event.at("step").get<std::int64_t>());
    }
    return steps;
  }
  std::int64_t count(const std::string& kind) const {
    return std::count_if(events_.begin(), events_.end(), [&](const Json& event) { return event.at("event") == kind; });
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
  FineTuneOptions options_;
  std::string model_ = "bert-test", data_ = "bundled";
  Task task_ = Task::kSequenceClassification;
  std::optional<std::int64_t> lora_rank_;
  std::vector<Json> events_;
};

TEST_F(FineTuningTest, ACheckpointComesAfterEachFiveMinutesByDefault) {
  run(nullptr, "step", minutes(1));
  EXPECT_THAT(steps_of("checkpoint"), ElementsAre(5, 10, 12));
}

TEST_F(FineTuningTest, CheckpointsByStepsBeginTheMinutesAnew) {
  options_.checkpoint_steps = 4;
  options_.checkpoint_minutes = 3;
  run(nullptr, "step", minutes(1));
  EXPECT_THAT(steps_of("checkpoint"), ElementsAre(3, 4, 7, 8, 11, 12));
}

TEST_F(FineTuningTest, CheckpointsByTimeCanBeSwitchedOff) {
  options_.checkpoint_minutes.reset();
  run(nullptr, "step", minutes(10));
  EXPECT_THAT(steps_of("checkpoint"), ElementsAre(12));
}

TEST_F(FineTuningTest, ASilenceWithinAStepEndsWithASignOfLife) {
  options_.steps = 3;
  run(nullptr, "step", seconds(4));
  EXPECT_EQ(count("alive"), 0) << "no silence of five seconds";
  events_.clear();
  fs::remove_all(options_.output);
  run(nullptr, "step", seconds(5));
  // One in the step after each pause, and one in front of the checkpoint after the last.
  std::vector<std::string> kinds;
  for (const Json& event : events_) kinds.push_back(event.at("event").get<std::string>());
  EXPECT_THAT(kinds, ElementsAre("started", "step", "alive", "step", "alive", "step", "alive", "checkpoint"));
}

TEST_F(FineTuningTest, TellsThePrecisionThatRuns) {
  options_.steps = 1;
  run(nullptr);
  EXPECT_EQ(events_.front().at("effective").at("precision"), "fp32");
}

TEST_F(FineTuningTest, AScoreThatIsNoNumberIsWorseThanAnyOther) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  options_.steps = 5;
  options_.evaluation_steps = 1;
  const Json summary = run(std::make_unique<MadeUpScores>(std::vector<double>{kNone, 3, kInfinity, 2, kNone}));
  std::vector<bool> is_best;
  for (const Json& event : events_) {
    if (event.at("event") == "evaluation") is_best.push_back(event.at("is_best").get<bool>());
  }
  EXPECT_EQ(is_best, (std::vector<bool>{false, true, false, true, false}));
  EXPECT_EQ(summary.at("best"), 2.0);
  EXPECT_EQ(summary.at("best_step"), 4);
  EXPECT_TRUE(summary.at("last_evaluation").at("scores").at("perplexity").at("value").is_null());
}

TEST_F(FineTuningTest, WithoutAnyScoreThatIsANumberTheLastModelIsKept) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  options_.evaluation_steps = 1;
  options_.patience = 2;
  const Json summary = run(std::make_unique<MadeUpScores>(std::vector<double>(12, kNone)));
  EXPECT_EQ(summary.at("steps"), 2);
  EXPECT_EQ(summary.at("stopped_early"), true);
  EXPECT_TRUE(summary.at("best").is_null());
  EXPECT_TRUE(summary.at("best_step").is_null());
  EXPECT_TRUE(fs::exists(folder_.path() / "o/best/model.safetensors"));
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST_F(FineTuningTest, AnAdapterIsAFolderOfItsOwn) {
  lora_rank_ = 2;
  options_.steps = 2;
  options_.base_model = "org/base";
  run(nullptr);
  const fs::path best = fs::path(options_.output) / "best";
  EXPECT_EQ(names_in(best), (std::set<std::string>{"adapter_config.json", "adapter_model.safetensors"}));
  const Json config = Json::parse(read_file(best / "adapter_config.json"));
  EXPECT_EQ(config.at("base_model_name_or_path"), "org/base");
  EXPECT_EQ(config.at("target_modules"), Json::array({"query", "value"}));
  EXPECT_EQ(config.at("modules_to_save"), Json::array({"classifier"}));
  const Json& effective = events_.front().at("effective");
  EXPECT_LT(effective.at("model").at("trainable_parameters"), effective.at("model").at("parameters"));
}

TEST_F(FineTuningTest, AMergedAdapterIsAWholeModel) {
  lora_rank_ = 2;
  options_.steps = 2;
  options_.merges_adapter = true;
  run(nullptr);
  const fs::path best = fs::path(options_.output) / "best";
  EXPECT_TRUE(fs::exists(best / "config.json"));
  const Checkpoint checkpoint = open_checkpoint(best);
  EXPECT_NO_THROW(match_checkpoint(checkpoint, Task::kSequenceClassification)) << "and nothing beside it";
}

TEST_F(FineTuningTest, AnAdapterThatPeftCouldNotLoadIsRefusedUnlessItIsMerged) {
  model_ = "llama-test";
  data_ = "synthetic";
  task_ = Task::kQuestionAnswering;
  lora_rank_ = 2;
  options_.steps = 1;
  try {
    run(nullptr);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("give --merge-adapter"));
  }
  EXPECT_TRUE(events_.empty());
  options_.merges_adapter = true;
  run(nullptr);
  EXPECT_TRUE(fs::exists(fs::path(options_.output) / "best/model.safetensors"));
}

TEST_F(FineTuningTest, AnAdapterGoesOnFromItsCheckpoint) {
  lora_rank_ = 2;
  options_.steps = 4;
  options_.checkpoint_steps = 2;
  run(nullptr);
  const std::string whole = read_file(fs::path(options_.output) / "best/adapter_model.safetensors");
  fs::remove_all(fs::path(options_.output) / "checkpoints/step-00000004");
  options_.resumes = true;
  run(nullptr);
  EXPECT_EQ(steps_of("resumed"), std::vector<std::int64_t>{2});
  EXPECT_EQ(read_file(fs::path(options_.output) / "best/adapter_model.safetensors"), whole);
}

TEST_F(FineTuningTest, ABestModelThatAKillLeftHalfReplacedIsThereAgain) {
  options_.steps = 1;
  run(std::make_unique<MadeUpScores>(std::vector<double>{1}));
  const fs::path output = options_.output;
  fs::rename(output / "best", output / ".best.replaced");
  options_.resumes = true;
  run(std::make_unique<MadeUpScores>(std::vector<double>{}));
  EXPECT_TRUE(fs::exists(output / "best/model.safetensors"));
  EXPECT_EQ(count("step"), 1) << "of the first run: nothing is left to do";
}

}  // namespace
}  // namespace transformeter
