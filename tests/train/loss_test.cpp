// Losses of single labels beside their sum.
#include "train/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tasks/ignored_label.h"

namespace transformeter {
namespace {

at::Tensor numbers(std::vector<std::int64_t> values, std::vector<std::int64_t> shape) {
  return at::tensor(values, at::kLong).view(shape);
}

double total(const at::Tensor& losses) {
  return losses.sum().item<double>();
}

TEST(LabelLosses, StandWhereTheirLabelsDo) {
  // Logits 0 and ln 3: the classes have 1/4 and 3/4.
  const at::Tensor logits = at::tensor({0.0, std::log(3.0), 0.0, std::log(3.0)}, at::kFloat).view({2, 2});
  const at::Tensor losses = label_losses(LossKind::kLabels, logits, {numbers({1, 0}, {2}), {}, 2});
  ASSERT_EQ(losses.sizes(), at::IntArrayRef({2}));
  EXPECT_NEAR(losses[0].item<double>(), std::log(4.0 / 3), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), std::log(4.0), 1e-6);
}

TEST(LabelLosses, SumUpToTheLoss) {
  const at::Tensor logits = at::arange(2 * 3 * 4, at::kFloat).sin().view({2, 3, 4});
  const Labels tokens{numbers({1, kNoLabel, 3, 0, 2, kNoLabel}, {2, 3}), {}, 4};
  for (const LossKind kind : {LossKind::kLabels, LossKind::kNextToken}) {
    const at::Tensor losses = label_losses(kind, logits, tokens);
    EXPECT_EQ(losses.sizes(), at::IntArrayRef({2, 3}));
    EXPECT_NEAR(total(losses), loss_sum(kind, logits, tokens).item<double>(), 1e-5);
    EXPECT_EQ(losses[0][1].item<double>(), 0) << "ignored";
  }
  EXPECT_EQ(label_losses(LossKind::kNextToken, logits, tokens)[1][0].item<double>(), 0) << "nothing comes before it";
  const Labels answers{numbers({0, 2}, {2}), numbers({1, 2}, {2}), 2};
  const at::Tensor places = logits.slice(2, 0, 2);
  EXPECT_NEAR(total(label_losses(LossKind::kSpan, places, answers)),
              loss_sum(LossKind::kSpan, places, answers).item<double>(), 1e-5);
}

// By hand: squares 1 and 9, 4 and 0; ln(1 + e^-2), ln 2.
TEST(LabelLosses, OfNumbersAreTheMeanOfTheirRow) {
  const at::Tensor outputs = at::tensor({1.0, -2.0, 0.0, 3.0}, at::kFloat).view({2, 2});
  const Labels values{at::tensor({2.0, 1.0, 2.0, 3.0}, at::kFloat).view({2, 2}), {}, 2};
  const at::Tensor squares = label_losses(LossKind::kSquaredError, outputs, values);
  ASSERT_EQ(squares.sizes(), at::IntArrayRef({2}));
  EXPECT_NEAR(squares[0].item<double>(), 5, 1e-6);
  EXPECT_NEAR(squares[1].item<double>(), 2, 1e-6);
  EXPECT_NEAR(loss_sum(LossKind::kSquaredError, outputs, values).item<double>(), 7, 1e-6);
  const Labels sets{at::tensor({1.0, 0.0, 1.0, 0.0}, at::kFloat).view({2, 2}), {}, 2};
  const at::Tensor entropies = label_losses(LossKind::kBinaryCrossEntropy, outputs, sets);
  EXPECT_NEAR(entropies[0].item<double>(), (std::log1p(std::exp(-1.0)) + std::log1p(std::exp(-2.0))) / 2, 1e-6);
  EXPECT_NEAR(entropies[1].item<double>(), (std::log(2.0) + 3 + std::log1p(std::exp(-3.0))) / 2, 1e-6);
  EXPECT_NEAR(loss_sum(LossKind::kBinaryCrossEntropy, outputs, sets).item<double>(), total(entropies), 1e-6);
  EXPECT_EQ(count_labels(LossKind::kSquaredError, values.classes), 2);
}

Labels transcripts(std::vector<std::int64_t> tokens, std::vector<std::int64_t> lengths, CtcSpec ctc = {}) {
  Labels labels;
  const auto rows = static_cast<std::int64_t>(lengths.size());
  labels.classes = numbers(std::move(tokens), {rows, -1});
  labels.count = count_labels(LossKind::kTranscript, labels.classes);
  labels.frames.assign(lengths.size(), 2);
  labels.lengths = std::move(lengths);
  labels.ctc = ctc;
  return labels;
}

// Two frames that have every class alike, 1/2 of two: of their four paths "_1", "1_" and "11" say 1, one says nothing,
// and none says it twice, since a blank must lie between.
TEST(LabelLosses, OfTranscriptsAreOfAllPathsThatSayThem) {
  const at::Tensor logits = at::zeros({3, 2, 2});
  const Labels said = transcripts({1, kNoLabel, kNoLabel, kNoLabel, 1, 1}, {1, 0, 2});
  EXPECT_EQ(said.count, 3) << "sounds";
  EXPECT_TRUE(said.are_summed());
  const at::Tensor losses = label_losses(LossKind::kTranscript, logits, said);
  EXPECT_NEAR(losses[0].item<double>(), std::log(4.0 / 3), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), std::log(4.0), 1e-6);
  EXPECT_TRUE(std::isinf(losses[2].item<double>()));
  const Labels zeroed = transcripts({1, kNoLabel, kNoLabel, kNoLabel, 1, 1}, {1, 0, 2}, {0, false, true});
  EXPECT_NEAR(loss_sum(LossKind::kTranscript, logits, zeroed).item<double>(), std::log(4.0 / 3) + std::log(4.0), 1e-6);
}

// Of three classes "12" and "21" have one path of nine each. A mean divides by the tokens, of none by 1.
TEST(LabelLosses, OfTranscriptsMayBeMeansOverTheirTokens) {
  const at::Tensor logits = at::zeros({2, 2, 3});
  const Labels said = transcripts({1, 2, kNoLabel, kNoLabel}, {2, 0}, {0, true, false});
  EXPECT_FALSE(said.are_summed());
  const at::Tensor losses = label_losses(LossKind::kTranscript, logits, said);
  EXPECT_NEAR(losses[0].item<double>(), std::log(9.0) / 2, 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), std::log(9.0), 1e-6);
}

// The second sound ends with its first frame; what follows it counts for nothing.
TEST(LabelLosses, OfTranscriptsReadNoFrameBehindTheSound) {
  Labels said = transcripts({1, 1}, {1, 1});
  said.frames = {2, 1};
  const at::Tensor logits = at::zeros({2, 2, 2});
  logits[1][1][1] = 7;
  const at::Tensor losses = label_losses(LossKind::kTranscript, logits, said);
  EXPECT_NEAR(losses[0].item<double>(), std::log(4.0 / 3), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), std::log(2.0), 1e-6);
}

// Two texts, each with logits of two images: 2 and 0, 1 and 3. Of a text's images the right one has the probability
// e^2 / (e^2 + 1), or e^3 / (e^3 + e); of an image's texts e^2 / (e^2 + e), or e^3 / (e^3 + 1).
TEST(LabelLosses, OfPairsAreTheMeanOfBothDirections) {
  const at::Tensor logits = at::tensor({2.0, 0.0, 1.0, 3.0}, at::kFloat).view({2, 2});
  Labels captions;
  captions.classes = numbers({5, 6, 7, 8, kNoLabel, kNoLabel}, {2, 3});
  captions.count = count_labels(LossKind::kPairs, captions.classes);
  EXPECT_EQ(captions.count, 2) << "captions, not their tokens";
  EXPECT_FALSE(captions.are_summed());
  const auto of = [](double right, double wrong) { return std::log1p(std::exp(wrong - right)); };
  const at::Tensor losses = label_losses(LossKind::kPairs, logits, captions);
  ASSERT_EQ(losses.sizes(), at::IntArrayRef({2}));
  EXPECT_NEAR(losses[0].item<double>(), (of(2, 0) + of(2, 1)) / 2, 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), (of(3, 1) + of(3, 0)) / 2, 1e-6);
  EXPECT_NEAR(loss_sum(LossKind::kPairs, logits, captions).item<double>(), total(losses), 1e-6);
}

// By hand, with logits of ln 3, whose logistic function is 3/4: −ln 3/4 where they fit, −ln 1/4 where they do not.
TEST(LabelLosses, OfPairsByThemselvesAreTheSumOverAllImages) {
  const double logit = std::log(3.0);
  const at::Tensor logits = at::tensor({logit, -logit, logit, logit}, at::kFloat).view({2, 2});
  Labels captions{numbers({5, 6, 7, 8}, {2, 2}), {}, 2};
  captions.pairs = PairLoss::kSigmoid;
  const at::Tensor losses = label_losses(LossKind::kPairs, logits, captions);
  ASSERT_EQ(losses.sizes(), at::IntArrayRef({2}));
  EXPECT_NEAR(losses[0].item<double>(), 2 * std::log(4.0 / 3), 1e-6);
  EXPECT_NEAR(losses[1].item<double>(), std::log(4.0) + std::log(4.0 / 3), 1e-6);
  EXPECT_NEAR(loss_sum(LossKind::kPairs, logits, captions).item<double>(), total(losses), 1e-6);
  captions.pairs = PairLoss::kSoftmax;
  EXPECT_GT(std::abs(total(label_losses(LossKind::kPairs, logits, captions)) - total(losses)), 0.1);
}

}  // namespace
}  // namespace transformeter
