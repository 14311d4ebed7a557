// Whether a data set's classes are those of a model, and in which order.
#pragma once

#include <string>

#include "datasets/dataset.h"
#include "spec/model_config.h"

namespace transformeter {

/// Numbers the labels as the model does: by name where both have names, else as they are. Throws Error(kBadInput)
/// naming `where` for a label outside the model's classes.
void match_labels(DataSet& data, const ModelConfig& config, const std::string& where);

/// Whether the data name their classes and the model does not, so that match_labels left the data's order.
bool has_names_alone(const DataSet& data, const ModelConfig& config);

}  // namespace transformeter
