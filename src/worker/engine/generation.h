// Generates text, one token per pass, with a key-value cache: a causal model goes on with a prompt, a decoder of a
// model's own begins another text.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/generation_request.h"
#include "model/key_value_cache.h"
#include "model/model.h"
#include "spec/generation_settings.h"

namespace transformeter {

/// The generation for one batch of prompts: one prefill, then one decode step per token.
class CachedDecoding {
 public:
  /// `prompt`: [B, T], padded on the left; to be encoded, on either side. `new_tokens`: how many steps there is room
  /// for. `beams`: as how many rows each of them goes on after the prefill. The model and the operators outlive this.
  CachedDecoding(const Model& model, const Operators& operators, const ModelInputs& prompt, std::int64_t new_tokens,
                 std::int64_t beams = 1);

  /// Logits [B, V] that follow the prompt.
  at::Tensor prefill();
  /// Of several beams, before each step: row i of [B · beams] goes on with the text of row `sources[i]`. After the
  /// prefill that is the first row of its input. An encoded text is kept once for all beams, and stays where it is.
  void reorder(const std::vector<std::int64_t>& sources);
  /// Logits [B, V] that follow `ids` [B], the newest token of each row, or [B · beams] of each beam. Where the model's
  /// cache_limit is passed, all tokens are computed again.
  at::Tensor step(const at::Tensor& ids);

  const KeyValueCache& cache() const { return cache_; }
  /// Of all keys and values that are kept, those of an encoded text included.
  std::int64_t cache_bytes() const { return cache_.bytes() + encoded_.bytes(); }
  std::int64_t beams() const { return beams_; }
  /// As of Model.
  std::optional<std::int64_t> start_token() const { return model_.start_token(); }

 private:
  at::Tensor run();
  void split_into_beams();
  void outgrow_cache();

  const Model& model_;
  const Operators& operators_;
  ModelInputs inputs_;
  at::Tensor all_ids_;  // [B, S], as long as the cache may yet be outgrown
  KeyValueCache cache_;
  EncodedText encoded_{true};
  std::int64_t beams_;
  bool is_split_ = false;  // a row is a beam
};

/// The most likely token each time.
class GreedyRequest final : public GenerationRequest {
 public:
  explicit GreedyRequest(std::unique_ptr<CachedDecoding> decoding) : decoding_(std::move(decoding)) {}

  std::int64_t first_token() override;
  std::int64_t next_token() override;

  const at::Tensor& logits() const override { return logits_; }
  const KeyValueCache& cache() const override { return decoding_->cache(); }
  std::int64_t cache_bytes() const override { return decoding_->cache_bytes(); }

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

/// The most likely token each time, as the settings' rules have it, whatever their beams; `prompt` is what the decoding
/// was made with. One list a row, the end token included where one came. Throws Error(kUnsupported) for logits that are
/// not numbers.
std::vector<std::vector<std::int64_t>> greedy_generate(CachedDecoding& decoding, const ModelInputs& prompt,
                                                       const GenerationOptions& options);

}  // namespace transformeter
