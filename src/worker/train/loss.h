// The training losses, as in Hugging Face Transformers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "spec/blueprint.h"
#include "tasks/task_type.h"

namespace transformeter {

/// The labels of a batch. kNoLabel (tasks/ignored_label.h) is ignored.
struct Labels {
  /// int64: of rows [B], of tokens [B, T], of answers their first token [B], or of transcripts and captions [B, D]; or
  /// the numbers of rows, float [B, C].
  at::Tensor classes;
  at::Tensor ends;  // of answers their last token [B]; else undefined
  // Labels that count: a causal model's are those that follow a token; of answers, transcripts and captions, rows.
  std::int64_t count = 0;
  // Of transcripts, else empty: of each sound [B] its frames, without padding where the model has a mask, and the
  // tokens that are said in them.
  std::vector<std::int64_t> frames = {};
  std::vector<std::int64_t> lengths = {};
  CtcSpec ctc = {};
  PairLoss pairs = PairLoss::kSoftmax;  // of captions

  /// Whether the loss of a step is the sum over its labels; else it is their mean.
  bool are_summed() const { return !lengths.empty() && !ctc.is_mean; }
};

/// Of labels on the host, before they move to a device.
std::int64_t count_labels(LossKind kind, const at::Tensor& classes);

/// Of each label its loss, where it stands in `labels.classes`, in fp32: 0 for one that does not count. Of answers [B]
/// the mean of their two places', of numbers [B] the mean of a row's, of transcripts and captions [B]. `outputs` and
/// errors as of loss_sum.
at::Tensor label_losses(LossKind kind, const at::Tensor& outputs, const Labels& labels);

/// Σ over the labels that count of their cross entropy in nats, their squared error, or −log of a transcript's
/// probability, [] in fp32. `outputs` are logits [B, classes] or [B, T, classes], T tokens or a transcript's frames; of
/// spans [B, T, 2]; of numbers [B, C]; of captions and their images [B, B], where a pair's loss is by softmax the mean
/// of both directions, its text among all of them and its image likewise, and by the logistic function the sum over all
/// images of its text. Where CTC means, a transcript's loss is divided by
/// its tokens, at least 1; it is infinite where the frames are too few for it. `smoothing` in [0, 1): share of a label
/// spread over all classes, of cross entropies.
at::Tensor loss_sum(LossKind kind, const at::Tensor& outputs, const Labels& labels, double smoothing = 0);

}  // namespace transformeter
