// Cross entropies of rows of logits and of pairs, CTC's of transcripts, and what rows of numbers are held against.
#include "train/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "tasks/ignored_label.h"

namespace transformeter {
namespace {

// logits [..., C] and labels [...].
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing,
                         at::Reduction::Reduction reduction = at::Reduction::Sum) {
  return at::cross_entropy_loss(logits.reshape({-1, logits.size(-1)}).to(at::kFloat), labels.reshape({-1}), {},
                                reduction, kNoLabel, smoothing);
}

at::Tensor each_cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  return cross_entropy(logits, labels, 0, at::Reduction::None).view(labels.sizes());
}

// Of outputs and targets [B, C] the mean of each row, [B].
at::Tensor row_losses(LossKind kind, const at::Tensor& outputs, const at::Tensor& targets) {
  if (outputs.sizes() != targets.sizes()) {
    throw Error(ErrorKind::kInternal, fmt::format("outputs [{}] are held against numbers [{}]",
                                                  fmt::join(outputs.sizes(), ", "), fmt::join(targets.sizes(), ", ")));
  }
  const at::Tensor values = outputs.to(at::kFloat);
  const at::Tensor each = kind == LossKind::kSquaredError
                              ? at::mse_loss(values, targets, at::Reduction::None)
                              : at::binary_cross_entropy_with_logits(values, targets, {}, {}, at::Reduction::None);
  return each.mean(1);
}

// [B], of logits [B, T, V]. As Transformers' Wav2Vec2ForCTC: the logarithms are of fp32.
at::Tensor transcript_losses(const at::Tensor& logits, const Labels& labels) {
  const at::Tensor logarithms = logits.to(at::kFloat).log_softmax(-1).transpose(0, 1);
  at::Tensor each = at::ctc_loss(logarithms, labels.classes, labels.frames, labels.lengths, labels.ctc.blank,
                                 at::Reduction::None, labels.ctc.zeroes_infinity);
  if (!labels.ctc.is_mean) return each;
  return each / at::tensor(labels.lengths, at::kLong).clamp_min(1).to(each.options());
}

// [B], of logits [B, B]: of each text the sum over all images, one of which is its own. As Transformers' SiglipModel.
at::Tensor sigmoid_pair_losses(const at::Tensor& logits) {
  const at::Tensor values = logits.to(at::kFloat);
  const at::Tensor signs = 2 * at::eye(values.size(0), values.options()) - 1;
  return -at::log_sigmoid(signs * values).sum(1);
}

// [B], of logits [B, B]: row i's text is that of column i's image. The softmax's are as Transformers'
// image_text_contrastive_loss, whose mean is over the same numbers.
at::Tensor pair_losses(const at::Tensor& logits, PairLoss loss) {
  if (loss == PairLoss::kSigmoid) return sigmoid_pair_losses(logits);
  const at::Tensor own = at::arange(logits.size(0), logits.options().dtype(at::kLong));
  return (each_cross_entropy(logits, own) + each_cross_entropy(logits.t(), own)) / 2;
}

}  // namespace

std::int64_t count_labels(LossKind kind, const at::Tensor& classes) {
  const bool is_of_rows = kind == LossKind::kSquaredError || kind == LossKind::kBinaryCrossEntropy ||
                          kind == LossKind::kTranscript || kind == LossKind::kPairs;
  if (is_of_rows) return classes.size(0);
  const at::Tensor counted = kind == LossKind::kNextToken ? classes.slice(1, 1) : classes;
  return counted.ne(kNoLabel).sum().item<std::int64_t>();
}

at::Tensor loss_sum(LossKind kind, const at::Tensor& outputs, const Labels& labels, double smoothing) {
  switch (kind) {
    case LossKind::kLabels:
      return cross_entropy(outputs, labels.classes, smoothing);
    case LossKind::kNextToken:
      return cross_entropy(outputs.slice(1, 0, -1), labels.classes.slice(1, 1), smoothing);
    case LossKind::kSpan:
      return (cross_entropy(outputs.select(-1, 0), labels.classes, smoothing) +
              cross_entropy(outputs.select(-1, 1), labels.ends, smoothing)) /
             2;
    case LossKind::kSquaredError:
    case LossKind::kBinaryCrossEntropy:
      return row_losses(kind, outputs, labels.classes).sum();
    case LossKind::kTranscript:
      return transcript_losses(outputs, labels).sum();
    case LossKind::kPairs:
      return pair_losses(outputs, labels.pairs).sum();
  }
  throw Error(ErrorKind::kInternal, "a loss has no formula");
}

at::Tensor label_losses(LossKind kind, const at::Tensor& outputs, const Labels& labels) {
  switch (kind) {
    case LossKind::kLabels:
      return each_cross_entropy(outputs, labels.classes);
    case LossKind::kNextToken:
      return at::constant_pad_nd(each_cross_entropy(outputs.slice(1, 0, -1), labels.classes.slice(1, 1)), {1, 0}, 0);
    case LossKind::kSpan:
      return (each_cross_entropy(outputs.select(-1, 0), labels.classes) +
              each_cross_entropy(outputs.select(-1, 1), labels.ends)) /
             2;
    case LossKind::kSquaredError:
    case LossKind::kBinaryCrossEntropy:
      return row_losses(kind, outputs, labels.classes);
    case LossKind::kTranscript:
      return transcript_losses(outputs, labels);
    case LossKind::kPairs:
      return pair_losses(outputs, labels.pairs);
  }
  throw Error(ErrorKind::kInternal, "a loss has no formula");
}

}  // namespace transformeter
