// Operations of a step by hand, from a model of one matrix size.
#include "spec/step_formula.h"

#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

constexpr Task kTask = Task::kSequenceClassification;

TEST(StepFormula, IsThreeForwardPassesAndFourWithCheckpointing) {
  const ModelConfig config = preset("distilbert-base");
  const StepFormula formula(config, kTask, std::nullopt);
  const double forward = forward_flops(config, kTask, 8, 128);
  const std::vector<std::int64_t> rows(8, 128);
  EXPECT_DOUBLE_EQ(formula.flops(rows), 3 * forward);
  EXPECT_DOUBLE_EQ(formula.flops(rows, {}, {.checkpoints_layers = true}), 4 * forward);
  const double needed = forward - unneeded_flops(config, kTask, rows);
  EXPECT_DOUBLE_EQ(formula.flops(rows, {}, {.leaves_out_tokens = true}), 3 * needed);
}

// BERT: 12 layers of 4 · C² and 2 · C · 4C for each token, a pooler and a classifier of 2 for one token of each row.
TEST(StepFormula, OfAdaptersHasNoGradientsOfFrozenWeights) {
  const ModelConfig config = preset("bert-base");
  const double rows = 4, t = 32, c = 768, rank = 8;
  const double matrices = rows * (12 * t * 2 * 12 * c * c + 2 * c * c);
  const double head = rows * 2 * c * 2, scores = rows * 12 * 4 * t * t * c;
  const double adapters = rows * 12 * 2 * t * 2 * rank * (c + c);
  const LoraPlan lora = plan_lora(config, kTask, {8, 8, ""});
  const std::vector<std::int64_t> lengths(4, 32);
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, std::nullopt).flops(lengths), 3 * (matrices + head + scores));
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths), 2 * matrices + 3 * (head + scores + adapters));
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths, {}, {.checkpoints_layers = true}),
                   3 * matrices + 4 * (head + scores + adapters));
}

TEST(StepFormula, OfADecoderCountsItsTargets) {
  const ModelConfig config = preset("t5-small");
  const std::vector<std::int64_t> rows{16, 16}, targets{4, 8};
  EXPECT_DOUBLE_EQ(StepFormula(config, Task::kSeq2SeqLm, std::nullopt).flops(rows, targets),
                   3 * forward_flops(config, Task::kSeq2SeqLm, rows, targets));
  const LoraPlan lora = plan_lora(config, Task::kSeq2SeqLm, {8, 8, ""});
  const double more = StepFormula(config, Task::kSeq2SeqLm, lora).flops(rows, {8, 8}) -
                      StepFormula(config, Task::kSeq2SeqLm, lora).flops(rows, targets);
  EXPECT_GT(more, 0);
}

}  // namespace
}  // namespace transformeter
