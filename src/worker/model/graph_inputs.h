// What a blueprint drawn as another library's graph reads for each batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "model/model.h"
#include "model/rotary_embedding.h"
#include "spec/blueprint.h"

namespace transformeter {

/// A graph has those that it needs.
struct GraphInput {
  enum class Kind {
    kIds,           // int64 [B, T]
    kTypes,         // int64 [B, T]
    kPositions,     // int64 [B, T], rows of the table
    kBias,          // float [B, 1, 1, T], of a causal model [B, 1, T, T]: added to a query's scores of a key
    kKeyMask,       // int32 [B, T]: 1 for a token that is attended to, else 0
    kCosine,        // float [B, 1, T, d], as Rotation has it
    kSine,          // likewise
    kHalfCosine,    // float [B · T or T, d / 2]: the first half of each row of kCosine, whose second is the same
    kHalfSine,      // likewise
    kRotationRows,  // int64 [B, T]: the row of those of each token
    kSelection,     // float [B, T]: the weight of each token in a sum; for the largest of each number what is added to
                    // each token, 0 or a number too low to matter
  };
  Kind kind = Kind::kIds;
  std::int64_t number = 0;  // of kBias: the window of the layers that read it, 0: all tokens; of kSelection: its place
};

/// Computes them by LibTorch, in the way of its own modules.
class GraphInputs {
 public:
  GraphInputs(const Blueprint& blueprint, std::vector<GraphInput> inputs);

  /// In their order, contiguous. What does not depend on a batch's numbers is made once for each shape, so that it
  /// costs no measured time.
  std::vector<at::Tensor> values(const ModelInputs& inputs) const;

 private:
  at::Tensor value_of(const GraphInput& input, const ModelInputs& inputs, const at::Tensor& positions,
                      const Rotation& rotation) const;
  at::Tensor bias(const ModelInputs& inputs, std::int64_t window) const;
  at::Tensor filled(at::IntArrayRef shape, c10::ScalarType type, std::int64_t value) const;

  std::vector<GraphInput> inputs_;
  std::int64_t position_offset_;
  bool positions_skip_padding_, is_causal_;
  std::optional<RotaryEmbedding> rotary_;
  std::vector<Selection> selections_;
  mutable std::map<std::tuple<std::vector<std::int64_t>, c10::ScalarType, std::int64_t>, at::Tensor> filled_;
};

}  // namespace transformeter
