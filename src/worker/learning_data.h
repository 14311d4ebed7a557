// What a fine-tuning learns from and what it is scored by.
#pragma once

#include <memory>
#include <string>

#include "data/training_rows.h"
#include "terms/finetune_options.h"
#include "worker/examination.h"
#include "worker/training.h"

namespace transformeter {

struct LearningData {
  LabelledRows rows;
  std::unique_ptr<Examination> examination;  // null: nothing is scored
};

/// The data set of the case, less what options.evaluation_share keeps back; scored by that or by
/// options.evaluation_data. Classes are those of what is learnt from: throws Error(kBadInput) for one in the other file
/// that is none of them, and for an evaluation_share of a task whose texts are one (causal_lm, masked_lm).
LearningData read_learning_data(const Training& training, const Context& context, const FineTuneOptions& options);

}  // namespace transformeter
