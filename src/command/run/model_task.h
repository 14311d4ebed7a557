// What a model is for, where the user does not say.
#pragma once

#include <string>

#include "run/identity.h"
#include "schema/task.h"
#include "spec/model_config.h"

namespace transformeter {

/// What models of this architecture are mostly used for: causal language modelling or sequence classification.
Task usual_task(const ModelConfig& config);

/// The same of what they learn: the usual task, or the first that has a loss where that has none.
Task usual_trained_task(const ModelConfig& config);

/// What `--task auto` resolves to. For a folder, the task that it was saved for; where it does not say, or its family
/// cannot do that, the usual one if the folder has that head, else the first that its tensors serve. For a preset,
/// which was saved for nothing, the usual one. `model`: as for Describer::model, whose errors it throws.
Task task_of_model(const std::string& model, Describer& describer);

/// The same where the user lists classes: a model of images and texts takes these for zero-shot classification alone.
Task task_of_model_with_classes(const std::string& model, Describer& describer);

}  // namespace transformeter
