// Rotary embeddings as config.json describes them: rope_parameters, or the older rope_theta and rope_scaling.
#pragma once

#include "spec/config_reader.h"
#include "spec/rotary.h"

namespace transformeter {

/// Throws Error(kBadInput) for a missing or wrong value, Error(kUnsupported) for a rope_type or a key that is not
/// known.
RotarySpec read_rotary(const ConfigReader& reader, std::int64_t head_dim, std::int64_t max_positions);

}  // namespace transformeter
