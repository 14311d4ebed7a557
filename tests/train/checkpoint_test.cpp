// Checkpoints of a training: what comes back, what a kill, a full disk and damaged files do, and which are kept.
#include "train/checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "engine/operators.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "support/full_disk.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "train/trained_weights.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TrainingState small_state(double value) {
  return {{{"w", at::zeros({2, 3}, at::kFloat).fill_(value)}, {"b", at::zeros({3}, at::kBFloat16).fill_(value)}},
          {{"step.w", at::zeros({}, at::kLong).fill_(value)}, {"exp_avg.w", at::zeros({2, 3}).fill_(value)}}};
}

class CheckpointTest : public testing::Test {
 protected:
  fs::path write(std::int64_t step) const {
    return checkpoints_.write(step, small_state(static_cast<double>(step)), {{"epoch", step}}).folder;
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(checkpoints_.folder())) names.insert(entry.path().filename());
    return names;
  }
  static void change_last_byte(const fs::path& file) {
    std::string content = read_file(file);
    content.back() = static_cast<char>(content.back() ^ 1);
    std::ofstream(file, std::ios::binary) << content;
  }
  // The one refused is step 2 for a reason that names `file`; step 1 is found.
  void expect_step_1_because(const std::string& file, const std::string& reason) const {
    const FoundCheckpoints found = checkpoints_.find();
    ASSERT_TRUE(found.newest.has_value());
    EXPECT_EQ(found.newest->step, 1);
    EXPECT_EQ(found.newest->progress, Json({{"epoch", 1}}));
    ASSERT_EQ(found.refused.size(), 1U);
    EXPECT_EQ(found.refused[0].folder.filename(), "step-00000002");
    EXPECT_THAT(found.refused[0].reason, testing::AllOf(HasSubstr(file), HasSubstr(reason)));
  }

  TemporaryFolder output_;
  TrainingCheckpoints checkpoints_{output_.path(), 3};
};

TEST_F(CheckpointTest, WithoutAnyThereIsNothingToGoOnFrom) {
  EXPECT_FALSE(checkpoints_.find().newest.has_value());
  EXPECT_TRUE(checkpoints_.find().refused.empty());
}

// To begin anew would be to lose what is there.
TEST_F(CheckpointTest, AFolderThatCannotBeListedIsNotTakenForEmpty) {
  std::ofstream(checkpoints_.folder()) << "a file";
  try {
    checkpoints_.find();
    ADD_FAILURE() << "a file was taken for a folder without checkpoints";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("cannot list '" + checkpoints_.folder().string() + "'"));
  }
}

TEST_F(CheckpointTest, ComesBackBitForBit) {
  // Values that a detour through numbers would change: a not-a-number with a payload, an infinity, −0, a denormal.
  const std::int32_t bits[] = {0x7fc12345, 0x7f800000, static_cast<std::int32_t>(0x80000000), 1};
  at::Tensor odd = at::zeros({4});
  std::memcpy(odd.data_ptr<float>(), bits, sizeof bits);
  const Json progress = {{"epoch", 2}, {"loss", 0.1 + 0.2}, {"place", {1, 2}}, {"text", "Grüße"}};
  checkpoints_.write(7, {{{"w", odd}}, {{"step", at::tensor(5, at::kLong)}}}, progress);

  const FoundCheckpoints found = TrainingCheckpoints(output_.path(), 1).find();
  ASSERT_TRUE(found.newest.has_value());
  EXPECT_EQ(found.newest->step, 7);
  EXPECT_EQ(found.newest->progress, progress);
  const TrainingState state{{{"w", at::zeros({4})}}, {{"step", at::tensor(0, at::kLong)}}};
  restore(*found.newest, state);
  EXPECT_EQ(std::memcmp(state.weights[0].value.const_data_ptr<float>(), bits, sizeof bits), 0);
  EXPECT_EQ(state.optimizer[0].value.item<std::int64_t>(), 5);
}

TEST_F(CheckpointTest, ALossThatIsNoNumberComesBackAsNothing) {
  checkpoints_.write(1, small_state(1), {{"loss", std::numeric_limits<double>::quiet_NaN()}});
  ASSERT_TRUE(checkpoints_.find().newest.has_value());
  EXPECT_TRUE(checkpoints_.find().newest->progress.at("loss").is_null());
}

TEST_F(CheckpointTest, TheNewestAreKept) {
  for (std::int64_t step = 1; step <= 5; ++step) write(step);
  EXPECT_EQ(names(), (std::set<std::string>{"step-00000003", "step-00000004", "step-00000005"}));
  EXPECT_EQ(checkpoints_.find().newest->step, 5);
}

TEST_F(CheckpointTest, TheOneJustWrittenIsKeptThoughDamagedOnesAreLater) {
  const TrainingCheckpoints one(output_.path(), 1);
  write(8);
  fs::remove(write(9) / "training.json");
  fs::remove(checkpoints_.folder() / "step-00000008" / "training.json");
  one.write(5, small_state(5), Json::object());
  EXPECT_EQ(one.find().newest->step, 5);
  EXPECT_EQ(one.find().refused.size(), 2U);
}

TEST_F(CheckpointTest, OneOfTheSameStepIsReplaced) {
  change_last_byte(write(4) / "model.safetensors");
  write(4);
  EXPECT_EQ(names(), std::set<std::string>{"step-00000004"});
  EXPECT_TRUE(checkpoints_.find().refused.empty());
}

TEST_F(CheckpointTest, ATruncatedFileIsPassedOver) {
  write(1);
  const fs::path file = write(2) / "optimizer.safetensors";
  const auto size = fs::file_size(file);
  fs::resize_file(file, size - 4);
  expect_step_1_because("optimizer.safetensors", " bytes instead of " + std::to_string(size));
}

TEST_F(CheckpointTest, AChangedByteIsPassedOver) {
  write(1);
  change_last_byte(write(2) / "model.safetensors");
  expect_step_1_because("model.safetensors", "checksum mismatch");
}

TEST_F(CheckpointTest, WhatIsNoDamageEndsTheSearch) {
  write(1);
  write(2);
  try {
    checkpoints_.find([] { throw Error(ErrorKind::kEnvironment, "nobody listens"); });
    ADD_FAILURE() << "an older one was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  }
}

TEST_F(CheckpointTest, AMissingFileIsPassedOver) {
  write(1);
  fs::remove(write(2) / "model.safetensors");
  expect_step_1_because("model.safetensors", "No such file");
}

TEST_F(CheckpointTest, AMissingDescriptionIsPassedOver) {
  write(1);
  fs::remove(write(2) / "training.json");
  expect_step_1_because("training.json", "No such file");
}

TEST_F(CheckpointTest, ADescriptionThatIsNoJsonIsPassedOver) {
  write(1);
  const fs::path file = write(2) / "training.json";
  fs::resize_file(file, fs::file_size(file) / 2);
  expect_step_1_because("training.json", "not valid JSON");
}

TEST_F(CheckpointTest, AChangedDigitOfTheDescriptionIsPassedOver) {
  write(1);
  const fs::path file = write(2) / "training.json";
  Json training = Json::parse(read_file(file));
  training["progress"]["epoch"] = 3;
  std::ofstream(file) << training.dump(1);
  expect_step_1_because("training.json", "checksum mismatch");
}

TEST_F(CheckpointTest, ADescriptionOfAnotherShapeIsPassedOver) {
  write(1);
  const fs::path file = write(2) / "training.json";
  std::ofstream(file) << "[]";
  expect_step_1_because("training.json", "a missing key");
}

TEST_F(CheckpointTest, AnotherStepsFolderIsPassedOver) {
  const fs::path one = write(1);
  fs::copy(one, checkpoints_.folder() / "step-00000002", fs::copy_options::recursive);
  expect_step_1_because("training.json", "belongs to step 1");
}

// As a kill between two files leaves it: hidden, and removed by the next that writes.
TEST_F(CheckpointTest, WhatAKillLeftIsNoCheckpointAndGoes) {
  write(1);
  const fs::path left = checkpoints_.folder() / ".step-00000002.partial-4711";
  fs::create_directory(left);
  fs::copy(checkpoints_.folder() / "step-00000001" / "model.safetensors", left / "model.safetensors");
  EXPECT_EQ(checkpoints_.find().newest->step, 1);
  EXPECT_TRUE(checkpoints_.find().refused.empty());
  write(3);
  EXPECT_EQ(names(), (std::set<std::string>{"step-00000001", "step-00000003"}));
}

// As a kill between the two names of a replacement leaves it, where a file system cannot exchange them.
TEST_F(CheckpointTest, WhatAKillLeftHalfReplacedIsFound) {
  write(1);
  fs::rename(write(2), checkpoints_.folder() / ".step-00000002.replaced");
  const FoundCheckpoints found = checkpoints_.find();
  ASSERT_TRUE(found.newest.has_value());
  EXPECT_EQ(found.newest->step, 2);
  EXPECT_EQ(names(), (std::set<std::string>{"step-00000001", "step-00000002"}));
}

TEST_F(CheckpointTest, SaysThatItIsAliveAfterEachFile) {
  int told = 0;
  checkpoints_.write(1, small_state(1), Json::object(), [&] { ++told; });
  EXPECT_EQ(told, 4) << "weights and optimizer, written and hashed";
  told = 0;
  checkpoints_.find([&] { ++told; });
  EXPECT_EQ(told, 2);
}

// Killed while it writes one after the other: whatever moment that is, the latest that has its name is whole.
TEST_F(CheckpointTest, AKilledProgramLeavesOnlyWholeOnes) {
  const TrainingState state{{{"w", at::zeros({1 << 16})}}, {{"step", at::zeros({}, at::kLong)}}};
  write(0);
  std::int64_t before = 0;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::int64_t step = before + 1;; ++step) checkpoints_.write(step, state, Json::object());
    }
    // Killed a little later within a write each time.
    while (*names().rbegin() < fmt::format("step-{:08}", before + 2)) ::usleep(200);
    ::usleep(static_cast<useconds_t>(300 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const FoundCheckpoints found = checkpoints_.find();
    ASSERT_TRUE(found.newest.has_value());
    for (const RefusedCheckpoint& refused : found.refused) ADD_FAILURE() << refused.reason;
    EXPECT_GE(found.newest->step, before + 2);
    before = found.newest->step;
  }
  write(before + 1);
  for (const std::string& name : names()) EXPECT_THAT(name, testing::StartsWith("step-"));
}

TEST_F(CheckpointTest, AFullDiskLeavesTheOldOnesAndNothingElse) {
  write(1);
  const TrainingState large{{{"w", at::zeros({1 << 20})}}, {}};
  const int result = with_largest_file(1 << 20, [&] {
    try {
      checkpoints_.write(2, large, Json::object());
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kEnvironment && std::strstr(error.what(), "model.safetensors") != nullptr ? 0
                                                                                                                  : 1;
    }
    return 2;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(names(), std::set<std::string>{"step-00000001"});
  EXPECT_EQ(checkpoints_.find().newest->step, 1);
}

TEST_F(CheckpointTest, IsRestoredWholeOrNotAtAll) {
  const TrainingCheckpoint checkpoint = checkpoints_.write(1, small_state(1), Json::object());
  const auto refused = [&](const std::function<void(TrainingState&)>& change) -> std::string {
    TrainingState state = small_state(0);
    change(state);
    try {
      restore(checkpoint, state);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      for (const auto* tensors : {&state.weights, &state.optimizer}) {
        for (const NamedTensor& tensor : *tensors) EXPECT_EQ(tensor.value.abs().sum().item<double>(), 0) << tensor.name;
      }
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(refused([](TrainingState& state) { state.weights[0].name = "v"; }),
              testing::AllOf(HasSubstr("model.safetensors"), HasSubstr("no tensor 'v'")));
  EXPECT_THAT(
      refused([](TrainingState& state) { state.optimizer.pop_back(); }),
      testing::AllOf(HasSubstr("optimizer.safetensors"), HasSubstr("'exp_avg.w'"), HasSubstr("an unexpected tensor")));
  EXPECT_THAT(refused([](TrainingState& state) {
                state.optimizer[1].value = at::zeros({3, 2});
              }),
              testing::AllOf(HasSubstr("[2, 3] of F32"), HasSubstr("[3, 2]")));
  EXPECT_THAT(refused([](TrainingState& state) { state.weights[1].value = at::zeros({3}); }),
              testing::AllOf(HasSubstr("'b'"), HasSubstr("BF16"), HasSubstr("F32")));
}

// A training of a small model, which can be stopped and gone on with.
class SmallTraining {
 public:
  explicit SmallTraining(const std::string& optimizer) {
    register_builtin_models(registry_);
    Checkpoint checkpoint = open_checkpoint(source_directory() / "tests/data/models/tiny-bert-classifier");
    const ModelConfig config = checkpoint.config;
    const Parameters stored = checkpoint_parameters(std::move(checkpoint), Task::kSequenceClassification, at::kFloat);
    weights_ = trained_weights(stored, tensor_inventory(config, Task::kSequenceClassification), at::kFloat);
    model_ = registry_.make(config, Task::kSequenceClassification, weights_.parameters);
    TrainerOptions options;
    options.loss = LossKind::kLabels;
    options.schedule = {"linear", 1e-2, 2, 8};
    options.optimizer.kind = optimizer;
    trainer_.emplace(*model_, *operators_, weights_.weights, options);
  }

  double step() {
    MicroBatch batch;
    batch.inputs.input_ids =
        (at::arange(12, at::kLong) * (trainer_->steps_taken() + 1) + 5).remainder(100).view({2, 6});
    batch.inputs.token_mask = at::zeros({2, 6}, at::kBool).fill_(true);
    batch.inputs.token_type_ids = at::zeros({2, 6}, at::kLong);
    batch.inputs.attention_mask = at::zeros({2, 1, 1, 6});
    batch.labels.classes = at::arange(2, at::kLong);
    batch.labels.count = 2;
    return trainer_->step({batch}).loss;
  }
  TrainingState state() const { return {named_values(weights_.weights), trainer_->optimizer().state()}; }
  Trainer& trainer() { return *trainer_; }

 private:
  ModelRegistry registry_;
  TrainedWeights weights_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Operators> operators_ = make_operators("eager");
  std::optional<Trainer> trainer_;
};

class ResumedTraining : public testing::TestWithParam<std::string> {};

TEST_P(ResumedTraining, EndsWhereOneThatWasNotStoppedDoes) {
  const TemporaryFolder output;
  const TrainingCheckpoints checkpoints(output.path(), 1);
  SmallTraining straight(GetParam());
  for (int i = 0; i < 4; ++i) straight.step();
  checkpoints.write(straight.trainer().steps_taken(), straight.state(), Json::object());

  SmallTraining resumed(GetParam());
  const FoundCheckpoints found = checkpoints.find();
  ASSERT_TRUE(found.newest.has_value());
  restore(*found.newest, resumed.state());
  resumed.trainer().continue_from(found.newest->step);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(straight.step(), resumed.step()) << "step " << 4 + i;
  const TrainingState expected = straight.state();
  const TrainingState actual = resumed.state();
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_TRUE(at::equal(expected.weights[i].value, actual.weights[i].value)) << expected.weights[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ResumedTraining, testing::ValuesIn(optimizer_kinds()));

}  // namespace
}  // namespace transformeter
