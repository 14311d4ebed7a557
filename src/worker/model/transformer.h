// The model that a blueprint describes: embeddings, layers, a last norm and a head.
#pragma once

#include <memory>
#include <string>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/blueprint.h"
#include "spec/model_config.h"

namespace transformeter {

/// Of a blueprint without a decoder or a text tower. Throws Error(kInternal) like make_transformer.
std::unique_ptr<Model> make_stack(const Blueprint& blueprint, const Parameters& parameters);

/// Throws Error(kInternal) when a parameter of the blueprint is not in `parameters`.
std::unique_ptr<Model> make_transformer(const ModelConfig& config, Task task, const Parameters& parameters);

}  // namespace transformeter
