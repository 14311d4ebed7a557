// A model ready to run: token ids in, task outputs out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "model/encoded_text.h"
#include "model/key_value_cache.h"
#include "model/model_readback.h"
#include "model/node_counters.h"
#include "model/operators.h"
#include "model/packed_rows.h"
#include "spec/blueprint.h"

namespace transformeter {

/// One batch on the model's device, padded, or packed: its rows one after another as [1, N]. S is T and what the cache
/// holds already.
struct ModelInputs {
  at::Tensor input_ids;       // [B, T] or [1, N] int64; undefined: of images and sounds alone
  at::Tensor pixel_values;    // [B, channels, height, width]; undefined: of others
  at::Tensor input_values;    // [B, samples]; undefined: of others
  at::Tensor token_type_ids;  // [B, T] int64, or undefined: all 0
  at::Tensor token_mask;      // [B, S] bool, true where a token is not padding; undefined: no padding
  at::Tensor
      attention_mask;  // additive, [B, 1, 1, S], 0 or the type's lowest number; undefined: padding is attended to
  KeyValueCache* cache = nullptr;   // of a causal model: what came before, to which this pass is added
  bool last_token_only = false;     // causal_lm: logits of the last column alone
  bool needed_tokens_only = false;  // the last layer computes no token that no output depends on
  bool is_training = false;         // dropout is on, by LibTorch's generator of the device
  bool checkpoints_layers = false;  // a layer's insides are computed again in the backward pass, see checkpointed.h;
                                    // the operators must live until then
  at::Tensor positions;             // [B, T] int64, −1 for none; undefined: they follow from the mask
  at::Tensor
      last_columns;  // [B] int64 of padded rows: the last token that a head may read; undefined: as the mask says
  at::Tensor decoder_input_ids;  // [B · beams, D] int64, of a model with a decoder of its own, beams of a text side by
                                 // side; undefined: input_ids, shifted right
  EncodedText* encoded =
      nullptr;      // of such a model: made of input_ids by the first pass, read by all; null: by this one
  PackedRows rows;  // packed, which need no mask and have no cache; empty: padded

  bool is_packed() const { return !rows.empty(); }
  /// That of the three which is defined; of pairs the texts.
  const at::Tensor& given() const {
    if (input_ids.defined()) return input_ids;
    return pixel_values.defined() ? pixel_values : input_values;
  }
  c10::Device device() const { return given().device(); }
};

class Model {
 public:
  virtual ~Model() = default;
  /// sequence_classification, multi_label_classification, regression: logits or values [B, classes]; embedding: [B, C];
  /// image_classification: [B, classes]; image_embedding: [B, C];
  /// audio_classification: [B, classes]; audio_embedding: [B, C]; speech_recognition: [B, T, V];
  /// zero_shot_image_classification: [B, classes]; token_classification: [B, T, classes];
  /// question_answering: [B, T, 2]; masked_lm: [B, T, V]; causal_lm: [B, T, V], or [B, 1, V] of the last token only;
  /// seq2seq_lm: the same of the decoder's tokens; contrastive_image_text: [texts, images], or of texts or images alone
  /// their vectors, of length 1, [B, C].
  /// What is [B, T, ...] of a padded batch is [1, N, ...] of packed rows.
  virtual at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const = 0;
  /// Nothing: tokens are padding only where the mask says so.
  virtual std::optional<BlankTokens> blank_tokens() const { return std::nullopt; }
  /// Nothing: a text ends where the mask says.
  virtual std::optional<EndToken> end_token() const { return std::nullopt; }
  /// Of an encoder-decoder model the decoder's first token; nothing: new tokens go on with the text.
  virtual std::optional<std::int64_t> start_token() const { return std::nullopt; }
  /// As ModelConfig::cache_limit.
  virtual std::optional<std::int64_t> cache_limit() const { return std::nullopt; }
  /// Whether packed rows may come.
  virtual bool takes_packed_rows() const { return false; }
  /// Whether it does as `needed_tokens_only` says.
  virtual bool leaves_out_tokens() const { return false; }
  /// Whether some rows of a batch may come alone, by several threads at once.
  virtual bool takes_chunks() const { return true; }
  /// What ran the passes, where LibTorch did not; only after one. Nothing: LibTorch did.
  virtual std::optional<ModelReadback> readback() const { return std::nullopt; }
  /// Of a model that another library runs, and that was made to be counted; null for others.
  virtual NodeCounters* node_counters() { return nullptr; }
};

}  // namespace transformeter
