// One parameter of a model: its name in a checkpoint, its shape, and how it is drawn where there is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformeter {

/// How a preset's seeded random weights are drawn.
enum class Initialization {
  kNormal,  // mean 0; seeded_parameters (model/parameters.h) says how wide
  kZeros,
  kOnes,
  kLogitScale,  // ln(1 / 0.07), from which CLIP learns the scale of its logits
};

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  Initialization init = Initialization::kNormal;
  /// A second name under which a checkpoint may hold the same, tied, tensor; empty: none. The parameter is listed and
  /// counted once, under `name`.
  std::string tied_name;
  /// Inputs summed for each output; 1 for a lookup table; 0: the product of all dimensions after the first, as of a
  /// weight [out, in].
  std::int64_t fan_in = 0;
  /// Factor on the standard deviation that seeded weights have by `fan_in`.
  double gain = 1;
  /// Computed while a model is loaded: no checkpoint holds it.
  bool is_computed = false;

  std::int64_t element_count() const;
  bool operator==(const TensorSpec&) const = default;
};

}  // namespace transformeter
