// Training data and validation of a fine-tuning.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "measure/training.h"
#include "schema/finetune_options.h"
#include "session/validation.h"
#include "tasks/training_rows.h"

namespace transformeter {

struct FineTuningData {
  LabelledRows rows;
  std::unique_ptr<Validation> validation;  // null: nothing is scored
};

/// The data set of the case, less what options.evaluation_share keeps back; scored by that or by
/// options.evaluation_data, all of it: the case's limit and split are of what is learnt from. Classes are those of the
/// case's data set: throws Error(kBadInput) for a class or tag in the other file that is none of them (tags as
/// "FILE:LINE: …"), for a file to learn from of another form than the task needs and options that it has
/// no use for, as read_training_rows, for an input that cannot be scored, for the same file and split to learn from and
/// to be scored by, and for an evaluation_share of a task whose texts are one (causal_lm, masked_lm). Images and
/// sounds are all decoded once, while `alive` is called again and again: throws Error(kBadInput) naming the file of one
/// that cannot be.
FineTuningData read_fine_tuning_data(const Training& training, const Context& context, const FineTuneOptions& options,
                                     const std::function<void()>& alive);

}  // namespace transformeter
