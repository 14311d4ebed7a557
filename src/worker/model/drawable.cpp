// Refused rather than left out in silence.
#include "model/drawable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {

void check_drawable(const Blueprint& blueprint, std::string_view engine) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("engine {} does not run this model's {}; use engine fast or pytorch", engine, what));
  };
  if (blueprint.embedding.patches) refuse("patches of images");
  if (blueprint.embedding.waves) refuse("convolutions over sounds");
  if (blueprint.channels_first) refuse("layers of convolutions");
  if (blueprint.relative_bias) refuse("relative positions");
  const bool has_part_that_turns =
      blueprint.rotary && std::any_of(blueprint.layers.begin(), blueprint.layers.end(), [&](const LayerSpec& layer) {
        return layer.attention.head_dim != blueprint.rotary->dimensions;
      });
  if (has_part_that_turns) refuse("rotations of a part of each head");
  if (blueprint.embedding.scale != 1) refuse("scaled embeddings");
  if (blueprint.window_rotary) refuse("rotations that differ between layers");
  if (blueprint.final_norm && blueprint.final_norm->weight_offset != 0) refuse("norms whose weights count from 1");
  const bool has_other_norms =
      std::any_of(blueprint.layers.begin(), blueprint.layers.end(),
                  [](const LayerSpec& layer) { return layer.attention_output_norm || layer.feed_forward_output_norm; });
  if (has_other_norms) refuse("norms of what layers add");
}

}  // namespace transformeter
