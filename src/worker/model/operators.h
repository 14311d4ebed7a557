// The seam for what has no weights, or weights that no engine rearranges: a model asks here and never names a kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/rotary_embedding.h"
#include "schema/attention_choice.h"

namespace transformeter {

/// y = x W + b on channels first, in groups: W [out, in / groups, 1].
struct Convolution {
  at::Tensor weight;
  at::Tensor bias;
  std::int64_t groups = 1;
  std::string module;  // its name in the checkpoint
};

/// softmax(Q Kᵀ / √d + mask) V.
struct AttentionInputs {
  at::Tensor query;  // [B, H, T, d]
  at::Tensor key;    // [B, G, S, d]; each of its heads serves H / G of the query's
  at::Tensor value;  // [B, G, S, d]
  at::Tensor
      mask;  // additive, broadcasts to [B, H, T, S], in the query's type, or fp32 under autocast; undefined: none
  bool is_causal = false;    // a token sees none after it; only with T = S and no mask
  double dropout = 0;        // share of the softmax's values that become 0, while the others grow
  bool mask_learns = false;  // it is made of weights in training, though this run may keep no gradients
};

/// The same of packed rows: query [1, H, M, d], key and value [1, G, N, d]. Row i has the queries query_starts[i] up to
/// query_starts[i + 1] and the keys likewise.
struct PackedAttentionInputs {
  at::Tensor query, key, value;
  at::Tensor query_starts, key_starts;  // [rows + 1] int32, on the tokens' device
  std::int64_t longest_query = 0;       // of a row
  std::int64_t longest_key = 0;
  bool is_causal = false;   // a token sees none after it in its row; only with as many queries as keys
  std::int64_t window = 0;  // of a causal row: a token sees itself and window - 1 before it; 0: all
  double dropout = 0;       // as of AttentionInputs
};

class Operators {
 public:
  virtual ~Operators() = default;
  /// [B, H, T, d].
  virtual at::Tensor attention(const AttentionInputs& inputs) const = 0;
  /// Whether one call takes packed rows of any lengths; else they are asked for in groups of one length.
  virtual bool takes_packed_rows() const { return false; }
  /// [1, H, M, d]. Only where packed rows are taken.
  virtual at::Tensor packed_attention(const PackedAttentionInputs& inputs) const;
  /// x [B, in, T] to [B, out, T].
  virtual at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const = 0;
  /// Each value of x [..., C] 0 with probability `share`, else ÷ (1 − share).
  virtual at::Tensor dropout(const at::Tensor& input, double share) const = 0;
  /// x [..., C] ÷ √(mean of x² over C + epsilon), · (weight [C] + offset).
  virtual at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon,
                              double offset) const = 0;
  /// As rotate in model/rotary_embedding.h.
  virtual at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const = 0;
  /// What trials chose until now among kernels of attention. Safe beside passes.
  virtual std::vector<AttentionChoice> attention_choices() const { return {}; }
};

}  // namespace transformeter
