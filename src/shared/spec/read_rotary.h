// Rotary embeddings as config.json describes them: rope_parameters, or the older rope_theta and rope_scaling.
#pragma once

#include "spec/config_reader.h"
#include "spec/rotary.h"

namespace transformeter {

/// Throws Error(kBadInput) for a missing or wrong value, Error(kUnsupported) for a rope_type or a key that is not
/// known.
RotarySpec read_rotary(const ConfigReader& reader, std::int64_t head_dim, std::int64_t max_positions);

/// Where the parameters of one kind of layers stand: in rope_parameters under `kind`, or in older keys beside it.
struct LayerRotaryKeys {
  const char* kind;
  const char* theta;  // the older key of its base
  double usual_theta;
  const char* scaling;  // the older key of all else; empty: none
};

/// The same for the layers of one kind. Of a key of the scaling in both places the older
/// one counts, of the base the newer one.
RotarySpec read_rotary_of_layers(const ConfigReader& reader, const LayerRotaryKeys& keys, std::int64_t head_dim,
                                 std::int64_t max_positions);

}  // namespace transformeter
