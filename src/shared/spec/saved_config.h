// The config.json of a model that was trained here, as Transformers reads it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "spec/model_config.h"

namespace transformeter {

/// "BertForSequenceClassification": the class of Transformers that reads a checkpoint of this task. Throws what
/// check_task throws.
std::string class_of(const ModelConfig& config, Task task);

/// The configuration's own keys with its class and, of classifiers, its labels ("LABEL_0", … where they have no names);
/// `dtype` is that of the weights: "float32", "bfloat16", "float16". Throws like class_of.
Json saved_config(const ModelConfig& config, Task task, std::string_view dtype);

/// The configuration with every key in its source that was read as its default: a preset says only what differs, and
/// the defaults of another version of Transformers may be others. Throws what draw_blueprint throws.
ModelConfig with_defaults(const ModelConfig& config, Task task);

}  // namespace transformeter
