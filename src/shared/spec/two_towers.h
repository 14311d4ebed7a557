// The two parts of a model that holds texts against images, each as a blueprint of its own.
#pragma once

#include <cstdint>

#include "spec/blueprint.h"

namespace transformeter {

/// Both as one model, which holds vectors of `vector_size` numbers against each other.
Blueprint with_text_tower(Blueprint images, Blueprint texts, const PairLogitsSpec& logits, std::int64_t vector_size);

/// The tower for images with so many classes, each of which stands for a text: logits of each.
Blueprint with_named_classes(Blueprint images, std::int64_t classes, const PairLogitsSpec& logits,
                             std::int64_t vector_size);

/// A vector of length 1 for an image. `whole` has a text tower.
Blueprint image_tower_of(const Blueprint& whole);

/// The same for a text. `whole` has a text tower.
Blueprint text_tower_of(const Blueprint& whole);

}  // namespace transformeter
