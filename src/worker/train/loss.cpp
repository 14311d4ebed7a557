// One cross entropy, on rows of logits.
#include "train/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <fmt/format.h>

#include "base/error.h"
#include "datasets/ignored_label.h"

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

Error no_labels(const std::string& task) {
  return Error(ErrorKind::kUnsupported, fmt::format("task '{}' cannot be trained: it has no labels and no loss", task));
}

}  // namespace

std::int64_t count_labels(const std::string& task, const at::Tensor& classes) {
  const at::Tensor counted = task == "causal_lm" ? classes.slice(1, 1) : classes;
  return counted.ne(kNoLabel).sum().item<std::int64_t>();
}

at::Tensor loss_sum(const std::string& task, const at::Tensor& outputs, const Labels& labels, double smoothing) {
  if (task == "sequence_classification" || task == "token_classification" || task == "masked_lm") {
    return cross_entropy(outputs, labels.classes, smoothing);
  }
  if (task == "causal_lm") {
    return cross_entropy(outputs.slice(1, 0, -1), labels.classes.slice(1, 1), smoothing);
  }
  if (task == "question_answering") {
    return (cross_entropy(outputs.select(-1, 0), labels.classes, smoothing) +
            cross_entropy(outputs.select(-1, 1), labels.ends, smoothing)) /
           2;
  }
  throw no_labels(task);
}

at::Tensor label_losses(const std::string& task, const at::Tensor& outputs, const Labels& labels) {
  if (task == "sequence_classification" || task == "token_classification" || task == "masked_lm") {
    return each_cross_entropy(outputs, labels.classes);
  }
  if (task == "causal_lm") {
    return at::constant_pad_nd(each_cross_entropy(outputs.slice(1, 0, -1), labels.classes.slice(1, 1)), {1, 0}, 0);
  }
  if (task == "question_answering") {
    return (each_cross_entropy(outputs.select(-1, 0), labels.classes) +
            each_cross_entropy(outputs.select(-1, 1), labels.ends)) /
           2;
  }
  throw no_labels(task);
}

}  // namespace transformeter
