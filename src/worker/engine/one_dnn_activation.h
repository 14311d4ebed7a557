// What oneDNN calls an activation that it computes inside a product.
#pragma once

#include <optional>
#include <string_view>

#include "spec/blueprint.h"

namespace transformeter {

struct OneDnnActivation {
  std::string_view name;
  std::string_view algorithm;  // empty: it has one
};

std::optional<OneDnnActivation> one_dnn_activation(Activation activation);

}  // namespace transformeter
