// Layers of a transformer, built from their specification. Shapes: B batch, T tokens, C width.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "model/attention.h"
#include "model/encoded_text.h"
#include "model/key_value_cache.h"
#include "model/operators.h"
#include "model/parameters.h"
#include "model/rotary_embedding.h"
#include "spec/blueprint.h"

namespace transformeter {

/// What all layers of one pass share.
struct Pass {
  const Operators& operators;
  AttentionPlan& attention;
  Rotation rotation;                                     // undefined tensors: positions are in the embeddings
  Rotation window_rotation;                              // of layers with a window
  KeyValueCache* cache = nullptr;                        // null: none
  std::size_t layer = 0;                                 // the one at work
  std::shared_ptr<const NeededTokens> needed = nullptr;  // of this layer's output; null: all
  EncodedText* encoded = nullptr;                        // of a decoder: what its layers attend to beside their tokens
  bool is_training = false;                              // dropout is on
  double hidden_dropout = 0;                             // of what a part of a layer adds; 0 unless training
};

class Layer {
 public:
  virtual ~Layer() = default;
  /// hidden [B, T, C] to [B, T, C], packed rows [1, N, C]; of a convolutional layer [B, C, T]. Where not all tokens are
  /// needed, [B, 1, C] or [1, rows, C].
  virtual at::Tensor forward(const at::Tensor& hidden, const Pass& pass) const = 0;
  /// Whether it can leave out tokens that are not needed.
  virtual bool leaves_out_tokens() const { return false; }
};

/// What the checkpoint calls the layer, its attention and its feed-forward network.
std::string layer_module(const LayerSpec& spec);
std::string attention_module(const AttentionSpec& spec);
std::string feed_forward_module(const FeedForwardSpec& spec);

/// x + f(norm(x)) or norm(x + f(x)) twice, f being attention and the feed-forward network.
std::unique_ptr<Layer> make_layer(const LayerSpec& spec, const Parameters& parameters);

/// The same on channels first, with convolutions for matrices (SqueezeBERT); norms after each part.
std::unique_ptr<Layer> make_convolution_layer(const LayerSpec& spec, const Parameters& parameters);

}  // namespace transformeter
