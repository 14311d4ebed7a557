// The training losses, as in Hugging Face Transformers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "tasks/task_type.h"

namespace transformeter {

/// The labels of a batch. kNoLabel (tasks/ignored_label.h) is ignored.
struct Labels {
  /// int64: of rows [B], of tokens [B, T], or of answers their first token [B]; or the numbers of rows, float [B, C].
  at::Tensor classes;
  at::Tensor ends;         // of answers their last token [B]; else undefined
  std::int64_t count = 0;  // labels that count: a causal model's are those that follow a token; of answers, rows
};

/// Of labels on the host, before they move to a device.
std::int64_t count_labels(LossKind kind, const at::Tensor& classes);

/// Of each label its loss, where it stands in `labels.classes`, in fp32: 0 for one that does not count. Of answers [B]
/// the mean of their two places', of numbers [B] the mean of a row's. `outputs` and errors as of loss_sum.
at::Tensor label_losses(LossKind kind, const at::Tensor& outputs, const Labels& labels);

/// Σ over the labels that count of their cross entropy in nats, or squared error, [] in fp32. `outputs` are logits
/// [B, classes] or [B, T, classes]; of spans [B, T, 2]; of numbers [B, C]. `smoothing` in [0, 1): share of a label
/// spread over all classes.
at::Tensor loss_sum(LossKind kind, const at::Tensor& outputs, const Labels& labels, double smoothing = 0);

}  // namespace transformeter
