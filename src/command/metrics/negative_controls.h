// How far wrong models would lie from a reference: what a comparison with it must be able to see.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/outputs.h"

namespace transformeter {

/// The divergence, as compare_outputs tells it, of outputs that are wrong on purpose. Nothing where the fault changes
/// nothing: without padding a mask is not needed, and a causal model's last tokens see no padding behind them.
struct NegativeControls {
  std::optional<double> rolled;    // each input has the answer to the one before it
  std::optional<double> constant;  // all inputs have the mean answer
  std::optional<double> unmasked;  // padding is attended to

  bool operator==(const NegativeControls&) const = default;
};

/// `unmasked`: the reference model's outputs with its mask off, if available.
NegativeControls negative_controls(const Outputs& reference, const std::optional<Outputs>& unmasked);

struct NamedControl {
  std::string_view description;  // of the model, to be read after "a model": "giving every input the same answer"
  double divergence = 0;
};

/// The one that is hardest to see; nothing where there is none.
std::optional<NamedControl> smallest_control(const NegativeControls& controls);

/// {rolled, constant, unmasked}, null where there is none.
Json to_json(const NegativeControls& controls);
/// Throws Json::exception.
NegativeControls controls_from(const Json& json);

}  // namespace transformeter
