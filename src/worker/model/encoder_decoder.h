// A model that encodes a text and makes another of it.
#pragma once

#include <memory>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// Of a blueprint with a decoder whose first token is known.
std::unique_ptr<Model> make_encoder_decoder(const Blueprint& blueprint, const Parameters& parameters);

}  // namespace transformeter
