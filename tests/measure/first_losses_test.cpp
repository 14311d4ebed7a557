// Losses that a training is compared by: of the same texts the same, however they are batched and whatever was learnt.
#include "measure/first_losses.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "measure/loaded_training.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

class FirstLosses : public LoadedTraining {
 protected:
  static Case request(Task task, const std::string& data, std::optional<std::int64_t> length) {
    Case request = small_training("bert-test", task, data);
    request.sequence_length = length;
    request.batch_size = 8;
    request.limit = 40;
    return request;
  }

  /// `change` comes between both parts: what a faulty model would compute.
  Outputs losses(const Case& request, int steps = 0, const OutputRequest& outputs = {},
                 const std::function<void(Training&)>& change = {}) const {
    Training training = load(request);
    Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(request));
    BatchLoader loader(*training.rows.rows, loader_options(training));
    StepWork work(training, loader, trainer);
    for (int step = 0; step < steps; ++step) {
      work.take();
      work.step({});
    }
    reset_weights(training, parts_);
    if (change) change(training);
    return first_losses(training, trainer, outputs, [] {});
  }

  static void expect_alike(const Outputs& one, const Outputs& other) {
    std::map<std::int64_t, float> known;
    for (std::size_t i = 0; i < one.inputs.size(); ++i) known[one.inputs[i]] = one.values[i];
    ASSERT_EQ(other.inputs.size(), one.inputs.size());
    for (std::size_t i = 0; i < other.inputs.size(); ++i) {
      ASSERT_EQ(known.count(other.inputs[i]), 1U);
      EXPECT_NEAR(other.values[i], known[other.inputs[i]], 1e-4);
    }
  }
};

TEST_F(FirstLosses, AreOneForEachTextAndDifferBetweenTexts) {
  const Outputs outputs = losses(request(Task::kSequenceClassification, "bundled", std::nullopt));
  EXPECT_EQ(outputs.inputs.size(), 40U) << "of the limit";
  EXPECT_EQ(outputs.width, 1);
  EXPECT_EQ(outputs.rows, std::vector<std::int64_t>(40, 1));
  float least = outputs.values.front();
  float most = least;
  for (const float value : outputs.values) {
    ASSERT_TRUE(std::isfinite(value));
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GT(most - least, 0.5) << "drawn so that answers differ";
}

TEST_F(FirstLosses, AreTheSameAfterSteps) {
  const Case asked = request(Task::kSequenceClassification, "bundled", std::nullopt);
  EXPECT_EQ(losses(asked, 3), losses(asked));
}

Case with_adapters(Case request) {
  request.lora_rank = 4;
  request.lora_alpha = 12;
  request.lora_targets = "all-linear";
  return request;
}

TEST_F(FirstLosses, OfAdaptersAreThoseOfTheWholeModel) {
  const Case whole = request(Task::kSequenceClassification, "bundled", std::nullopt);
  expect_alike(losses(whole), losses(with_adapters(whole), 3));
}

TEST_F(FirstLosses, ShowAFaultOfAdapters) {
  const Case asked = with_adapters(request(Task::kSequenceClassification, "bundled", std::nullopt));
  const Outputs right = losses(asked);
  for (const double factor : {0.0, 2.0}) {  // skipped adapters, another scale
    const Outputs wrong = losses(asked, 0, {}, [&](Training& training) {
      const at::NoGradGuard guard;
      for (const LinearSpec& matrix : training.lora->matrices) {
        training.weights.parameters.at(lora_b_of(matrix.weight)).mul_(factor);
      }
    });
    ASSERT_EQ(wrong.inputs, right.inputs);
    double most = 0;
    for (std::size_t i = 0; i < right.values.size(); ++i) {
      most = std::max<double>(most, std::abs(wrong.values[i] - right.values[i]));
    }
    EXPECT_GT(most, 0.1) << factor;
  }
}

TEST_F(FirstLosses, DoNotDependOnHowTextsAreBatched) {
  struct Asked {
    Task task;
    const char* data;
    std::optional<std::int64_t> length;
  };
  for (const Asked& asked :
       {Asked{Task::kSequenceClassification, "bundled", std::nullopt},
        Asked{Task::kRegression, "bundled", std::nullopt},
        Asked{Task::kMultiLabelClassification, "bundled", std::nullopt},
        Asked{Task::kTokenClassification, "synthetic", 24}, Asked{Task::kMaskedLm, "bundled", std::nullopt},
        Asked{Task::kQuestionAnswering, "synthetic", 24}}) {
    const Case padded = request(asked.task, asked.data, asked.length);
    const Outputs expected = losses(padded);
    for (const char* batching : {"bucketed", "packed"}) {
      SCOPED_TRACE(std::string(name_of(asked.task)) + ", " + batching);
      Case other = padded;
      other.batching = batching;
      other.batch_size = 5;
      OutputRequest named;
      named.inputs = expected.inputs;
      expect_alike(expected, losses(other, 0, named));
    }
  }
}

TEST_F(FirstLosses, OfTargetsAreMeansOverTheirTokens) {
  const TemporaryFolder folder;
  std::string pairs = "text,target\n";
  for (int i = 0; i < 12; ++i) pairs += "the film " + std::string(i, 'a') + "," + std::string(1 + i % 4, 'b') + " c\n";
  pairs += "the film,d\nthe film,d e f g h\n";  // one text, two targets
  Case asked = request(Task::kSeq2SeqLm, folder.write("pairs.csv", pairs).string(), std::nullopt);
  asked.model = "t5-test";
  const Outputs expected = losses(asked);
  EXPECT_EQ(expected.inputs.size(), 14U);
  EXPECT_EQ(expected.width, 1);
  asked.batching = "bucketed";
  asked.batch_size = 5;
  OutputRequest named;
  named.inputs = expected.inputs;
  expect_alike(expected, losses(asked, 0, named));
}

TEST_F(FirstLosses, WithoutAMaskAreOthers) {
  OutputRequest unmasked;
  unmasked.attention_mask = false;
  const Case asked = request(Task::kSequenceClassification, "bundled", std::nullopt);
  const Outputs outputs = losses(asked, 0, unmasked);
  EXPECT_EQ(outputs.inputs, losses(asked).inputs);
  EXPECT_NE(outputs.values, losses(asked).values);
}

}  // namespace
}  // namespace transformeter
