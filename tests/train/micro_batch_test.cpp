// Padded and packed rows of the same batch have the same loss and gradients.
#include "train/micro_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "engine/operators.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "support/source_tree.h"
#include "train/loss.h"
#include "train/trained_weights.h"

namespace transformeter {
namespace {

// Rows of 5, 2 and 4 tokens.
TrainingBatch three_rows(LabelKind kind) {
  TrainingBatch batch;
  batch.inputs.batch_size = 3;
  batch.inputs.sequence_length = 5;
  batch.inputs.input_ids = {2, 9, 8, 7, 3, 2, 3, 0, 0, 0, 2, 6, 5, 3, 0};
  batch.inputs.attention_mask = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
  batch.inputs.token_type_ids.assign(15, 0);
  batch.inputs.example_index = {0, 1, 2};
  batch.inputs.has_padding = true;
  batch.inputs.useful_tokens = 11;
  batch.inputs.processed_tokens = 15;
  batch.label_kind = kind;
  if (kind == LabelKind::kRow) batch.labels = {1, 0, 1};
  if (kind == LabelKind::kNumbers) batch.numbers = {0.5F, -1, 0, 1, 1, 0.25F};
  if (kind == LabelKind::kSpan) {
    batch.labels = {1, 0, 2};
    batch.ends = {3, 1, 2};
  }
  if (kind == LabelKind::kToken) {
    batch.labels = batch.inputs.input_ids;
    for (std::size_t i = 0; i < 15; ++i) {
      if (batch.inputs.attention_mask[i] == 0) batch.labels[i] = kNoLabel;
    }
  }
  return batch;
}

struct Gradients {
  double loss = 0;
  std::vector<at::Tensor> of_weights;
};

Gradients gradients(const char* folder, Task task, LabelKind kind, bool packed) {
  ModelRegistry registry;
  register_builtin_models(registry);
  Checkpoint checkpoint = open_checkpoint(source_directory() / "tests/data/models" / folder);
  const ModelConfig config = checkpoint.config;
  const Parameters stored = checkpoint_parameters(std::move(checkpoint), task, c10::ScalarType::Float);
  TrainedWeights weights = trained_weights(stored, tensor_inventory(config, task), c10::ScalarType::Float);
  const std::unique_ptr<Model> model = registry.make(config, task, weights.parameters);
  const std::unique_ptr<Operators> operators = make_operators("sdpa");
  MicroBatchOptions options;
  options.loss = loss_of(task);
  options.packed = packed;
  const MicroBatch batch = make_micro_batch(three_rows(kind), options);
  const at::Tensor loss =
      loss_sum(loss_of(task), spread(model->forward(batch.inputs, *operators), batch), batch.labels) /
      batch.labels.count;
  loss.backward();
  Gradients result{loss.item<double>(), {}};
  for (const TrainedWeight& weight : weights.weights) result.of_weights.push_back(weight.value.grad());
  return result;
}

void expect_same(const char* folder, Task task, LabelKind kind) {
  const Gradients padded = gradients(folder, task, kind, false);
  const Gradients packed = gradients(folder, task, kind, true);
  EXPECT_NEAR(packed.loss, padded.loss, 1e-5);
  ASSERT_EQ(packed.of_weights.size(), padded.of_weights.size());
  for (std::size_t i = 0; i < padded.of_weights.size(); ++i) {
    if (!padded.of_weights[i].defined()) continue;
    ASSERT_TRUE(packed.of_weights[i].defined()) << i;
    EXPECT_LT((packed.of_weights[i] - padded.of_weights[i]).abs().max().item<double>(), 1e-5) << i;
  }
}

TEST(MicroBatch, PackedRowsOfClassesLearnTheSame) {
  expect_same("tiny-bert-classifier", Task::kSequenceClassification, LabelKind::kRow);
}

TEST(MicroBatch, PackedRowsOfNumbersLearnTheSame) {
  expect_same("tiny-distilbert-classifier", Task::kRegression, LabelKind::kNumbers);
  expect_same("tiny-distilbert-classifier", Task::kMultiLabelClassification, LabelKind::kNumbers);
}

TEST(MicroBatch, PackedTokensLearnTheSame) {
  expect_same("tiny-bert-filler", Task::kMaskedLm, LabelKind::kToken);
}

TEST(MicroBatch, PackedRowsOfTextDoNotFollowOneAnother) {
  expect_same("tiny-gpt2", Task::kCausalLm, LabelKind::kToken);
}

// As _shift_right of Transformers' T5: the start token before the labels, and in padding's place.
TEST(MicroBatch, ADecoderReadsTheTargetShifted) {
  TrainingBatch batch = three_rows(LabelKind::kTarget);
  batch.target_length = 3;
  batch.labels = {8, 7, 1, 9, 1, kNoLabel, 1, kNoLabel, kNoLabel};
  MicroBatchOptions options;
  options.start_token = 4;
  const MicroBatch made = make_micro_batch(batch, options);
  EXPECT_EQ(made.labels.count, 3 + 2 + 1);
  EXPECT_TRUE(at::equal(made.labels.classes, at::tensor(batch.labels, at::kLong).view({3, 3})));
  const std::vector<std::int64_t> read = {4, 8, 7, 4, 9, 1, 4, 1, 4};
  EXPECT_TRUE(at::equal(made.inputs.decoder_input_ids, at::tensor(read, at::kLong).view({3, 3})));
  EXPECT_THROW(make_micro_batch(batch, {}), Error) << "no start token";
}

// The originals' softmax sees padding too, whose logits mean nothing: packed rows are held against masked ones.
TEST(MicroBatch, PackedAnswersLieInTheirRows) {
  const MicroBatchOptions options{LossKind::kSpan, true};
  const MicroBatch batch = make_micro_batch(three_rows(LabelKind::kSpan), options);
  const at::Tensor tokens = at::arange(22, at::kFloat).view({1, 11, 2});
  const at::Tensor rows = spread(tokens, batch);
  ASSERT_EQ(rows.sizes().vec(), (std::vector<std::int64_t>{3, 5, 2}));
  const at::Tensor probabilities = rows.select(-1, 0).softmax(-1);
  for (const auto& [row, length] : {std::pair<std::int64_t, std::int64_t>{0, 5}, {1, 2}, {2, 4}}) {
    EXPECT_NEAR(probabilities[row].slice(0, 0, length).sum().item<double>(), 1, 1e-6);
    if (length < 5) {
      EXPECT_EQ(probabilities[row].slice(0, length).sum().item<double>(), 0);
    }
  }
  EXPECT_EQ(batch.labels.classes[2].item<std::int64_t>(), 2);
}

}  // namespace
}  // namespace transformeter
