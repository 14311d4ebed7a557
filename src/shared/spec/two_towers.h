// The two parts of a model that holds texts against images, each as a blueprint of its own.
#pragma once

#include "spec/blueprint.h"

namespace transformeter {

/// A vector of length 1 for an image. `whole` has a text tower.
Blueprint image_tower_of(const Blueprint& whole);

/// The same for a text, of which no token sees those after it. `whole` has a text tower.
Blueprint text_tower_of(const Blueprint& whole);

}  // namespace transformeter
