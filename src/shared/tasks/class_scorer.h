// Accuracy of a model that is being fine-tuned, on examples with a class each.
#pragma once

#include <memory>
#include <string>

#include "datasets/dataset.h"
#include "spec/model_config.h"
#include "tasks/fine_tuning_sets.h"

namespace transformeter {

/// A data set of the classes that are learnt, numbered as they are: by the model's own names where the data has none.
/// `trained` is null for a preset. Throws Error(kBadInput) naming `where` for another class and an example without one.
DataSet with_learnt_classes(DataSet data, const LabelledRows& rows, const ModelConfig* trained,
                            const std::string& where);

/// Accuracy and macro F1 of such a data set; its inputs are the examples' texts.
std::unique_ptr<ScoredInputs> class_scorer(const DataSet& data, std::string where);

}  // namespace transformeter
