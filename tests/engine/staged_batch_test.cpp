// Batches cut and packed on the host, and outputs put back where their rows and tokens belong.
#include "engine/staged_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/family_testing.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

// Rows of 3, 1 and 2 tokens in a matrix [3, 3].
Batch uneven() {
  Batch batch;
  batch.batch_size = 3;
  batch.sequence_length = 3;
  batch.input_ids = {11, 12, 13, 21, 0, 0, 31, 32, 0};
  batch.attention_mask = {1, 1, 1, 1, 0, 0, 1, 1, 0};
  batch.token_type_ids = {0, 0, 1, 0, 0, 0, 0, 1, 0};
  batch.example_index = {5, 6, 7};
  batch.useful_tokens = 6;
  batch.processed_tokens = 9;
  batch.has_padding = true;
  return batch;
}

TEST(StagedBatch, PacksRowsOneAfterAnother) {
  const StagedBatch staged = lay_out(uneven(), {true, 1, std::nullopt});
  ASSERT_EQ(staged.chunks.size(), 1U);
  const StagedChunk& chunk = staged.chunks.front();
  EXPECT_THAT(numbers(chunk.rows), ElementsAre(0, 2, 1)) << "by falling length";
  EXPECT_THAT(numbers(chunk.inputs.input_ids), ElementsAre(11, 12, 13, 31, 32, 21));
  EXPECT_THAT(numbers(chunk.inputs.token_type_ids), ElementsAre(0, 0, 1, 0, 1, 0));
  EXPECT_THAT(numbers(chunk.inputs.rows.starts), ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(numbers(chunk.inputs.rows.positions), ElementsAre(0, 1, 2, 0, 1, 0));
  EXPECT_THAT(numbers(chunk.inputs.rows.first_tokens()), ElementsAre(0, 3, 5));
  EXPECT_THAT(numbers(chunk.inputs.rows.last_tokens()), ElementsAre(2, 4, 5));
  EXPECT_EQ(chunk.inputs.rows.longest(), 3);
  EXPECT_EQ(staged.processed_tokens, 6);
}

TEST(StagedBatch, PutsTokensBackWhereTheyStood) {
  const StagedBatch staged = lay_out(uneven(), {true, 1, std::nullopt});
  const at::Tensor output = at::tensor({1, 2, 3, 4, 5, 6}).view({1, 6, 1});
  EXPECT_THAT(numbers(join_chunks(staged, {output})), ElementsAre(1, 2, 3, 6, 0, 0, 4, 5, 0)) << "0 over padding";
}

TEST(StagedBatch, PutsRowsBackInTheirOrder) {
  const StagedBatch staged = lay_out(uneven(), {false, 3, std::nullopt});
  ASSERT_EQ(staged.chunks.size(), 3U);
  std::vector<at::Tensor> outputs;
  for (const StagedChunk& chunk : staged.chunks) outputs.push_back(chunk.inputs.input_ids.slice(1, 0, 1));
  EXPECT_THAT(numbers(join_chunks(staged, outputs)), ElementsAre(11, 21, 31));
}

TEST(StagedBatch, FindsWhereTextsEnd) {
  const auto ends = [](const EndToken& end) { return lay_out(uneven(), {false, 1, std::nullopt, {}, end}); };
  EXPECT_THAT(numbers(ends({12}).inputs.last_columns), ElementsAre(1, 0, 0))
      << "the first token where there is no mark";
  EXPECT_THAT(numbers(ends({32}).inputs.last_columns), ElementsAre(0, 0, 1));
  EXPECT_THAT(numbers(ends({0}).inputs.last_columns), ElementsAre(0, 0, 0)) << "padding is no mark";
  EXPECT_FALSE(ends({}).inputs.last_columns.defined()) << "the largest of each row is its last";
  Batch other = uneven();
  other.input_ids = {11, 13, 13, 21, 99, 99, 32, 31, 99};
  const BatchLayout packed{true, 1, std::nullopt, {}, EndToken{}};
  EXPECT_THAT(numbers(lay_out(other, {false, 1, std::nullopt, {}, EndToken{}}).inputs.last_columns),
              ElementsAre(1, 0, 0));
  EXPECT_THAT(numbers(lay_out(other, packed).chunks.front().inputs.rows.last_tokens()), ElementsAre(1, 3, 5));
}

TEST(StagedBatch, VisitsWhatAPassReads) {
  const auto count = [](const BatchLayout& layout) {
    StagedBatch staged = lay_out(uneven(), layout);
    int tensors = 0;
    visit_inputs(staged, [&](at::Tensor& tensor) { tensors += tensor.defined() ? 1 : 0; });
    return tensors;
  };
  EXPECT_EQ(count({false, 1, std::nullopt}), 3) << "ids, types, mask";
  EXPECT_EQ(count({true, 1, std::nullopt}), 6) << "ids, types, starts, positions, rows, places";
}

}  // namespace
}  // namespace transformeter
