// Generates text, one token per pass, with a key-value cache: a causal model goes on with a prompt, a decoder of a
// model's own begins another text.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/key_value_cache.h"
#include "model/model.h"
#include "spec/generation_settings.h"

namespace transformeter {

/// The generation for one batch of prompts: one prefill, then one decode step per token.
class CachedDecoding {
 public:
  /// `prompt`: [B, T], padded on the left; to be encoded, on either side. `new_tokens`: how many steps there is room
  /// for. The model and the operators outlive this.
  CachedDecoding(const Model& model, const Operators& operators, const ModelInputs& prompt, std::int64_t new_tokens);

  /// Logits [B, V] that follow the prompt.
  at::Tensor prefill();
  /// Logits [B, V] that follow `ids` [B], the newest token of each row. Where the model's cache_limit is passed, all
  /// tokens are computed again.
  at::Tensor step(const at::Tensor& ids);

  const KeyValueCache& cache() const { return cache_; }
  /// Of all keys and values that are kept, those of an encoded text included.
  std::int64_t cache_bytes() const { return cache_.bytes() + encoded_.bytes(); }
  /// As of Model.
  std::optional<std::int64_t> start_token() const { return model_.start_token(); }

 private:
  at::Tensor run();
  void outgrow_cache();

  const Model& model_;
  const Operators& operators_;
  ModelInputs inputs_;
  at::Tensor all_ids_;  // [B, S], as long as the cache may yet be outgrown
  KeyValueCache cache_;
  EncodedText encoded_{true};
};

/// One request as it is measured: greedy, as many tokens as it is asked for, and no end token, since a request that
/// ends early is another request. As in a Python user's generate(), a token counts once its id is known on the host;
/// logits are not looked at otherwise.
class GreedyRequest {
 public:
  explicit GreedyRequest(std::unique_ptr<CachedDecoding> decoding) : decoding_(std::move(decoding)) {}

  /// The first new token's id for one prompt: a pass over all of it.
  std::int64_t first_token();
  /// The next one's: a pass over the newest token.
  std::int64_t next_token();

  /// [1, V] of the last pass.
  const at::Tensor& logits() const { return logits_; }
  const KeyValueCache& cache() const { return decoding_->cache(); }
  std::int64_t cache_bytes() const { return decoding_->cache_bytes(); }

 private:
  std::int64_t choose();

  std::unique_ptr<CachedDecoding> decoding_;
  at::Tensor logits_;
  at::Tensor ids_;  // [1]
};

struct GenerationOptions {
  std::int64_t max_new_tokens = 20;         // at least 1
  std::vector<std::int64_t> eos_token_ids;  // a row ends with the first of them
  GenerationSettings settings = {};
};

/// The most likely token each time, as the settings' rules have it; `prompt` is what the decoding was made with. One
/// list a row, the end token included where one came. Throws Error(kUnsupported) for logits that are not numbers.
std::vector<std::vector<std::int64_t>> greedy_generate(CachedDecoding& decoding, const ModelInputs& prompt,
                                                       const GenerationOptions& options);

}  // namespace transformeter
