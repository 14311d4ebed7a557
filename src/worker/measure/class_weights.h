// The matrix that a zero-shot head multiplies an image's vector with: a row for the text of each class.
#pragma once

#include <c10/core/ScalarType.h>

#include "base/context.h"
#include "measure/parts.h"
#include "measure/worker_case.h"
#include "model/parameters.h"
#include "spec/model_config.h"

namespace transformeter {

/// What the texts and their vectors follow from; borrowed. The classes are the configuration's.
struct ClassTexts {
  const Case& request;
  const ModelConfig& config;
  const WorkerParts& parts;
  const Context& context;
};

/// Adds the matrix of blueprint.h's SimilaritySpec in `type`, under its name, and its bias if it has one. The model's
/// tower for texts is loaded for it and run on the CPU in fp32, whatever the case runs in, so that all cases have the
/// same. Throws Error(kBadInput) for files and a template, as load_model, load_model_tokenizer and class_texts.
void add_class_weights(const ClassTexts& texts, c10::ScalarType type, Parameters& parameters);

}  // namespace transformeter
