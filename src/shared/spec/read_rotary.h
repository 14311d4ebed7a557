// Rotary embeddings as config.json describes them: rope_parameters, or the older rope_theta and rope_scaling.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/config_reader.h"
#include "spec/rotary.h"

namespace transformeter {

/// In what families differ.
struct RotaryHabits {
  bool turns_part = false;         // of each head the share partial_rotary_factor of its dimensions; false: all
  bool has_longrope_only = false;  // the one way of stretching, which older files call su or yarn
  /// Trained on before stretching, whatever the parameters say of it; nothing: as they and the keys beside them say.
  std::optional<std::int64_t> original_positions;
};

/// Throws Error(kBadInput) for a missing or wrong value, Error(kUnsupported) for a rope_type or a key that is not
/// known.
RotarySpec read_rotary(const ConfigReader& reader, std::int64_t head_dim, std::int64_t max_positions,
                       const RotaryHabits& habits = {});

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
