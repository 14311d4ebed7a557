// Text by beam search: after each pass the most likely continuations of an input's beams, all together, go on.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/beams.h"
#include "engine/generation.h"
#include "engine/generation_request.h"

namespace transformeter {

class BeamSearch {
 public:
  /// `decoding` has room for the settings' beams, has not begun, and outlives this; `prompt` is what it was made with.
  BeamSearch(CachedDecoding& decoding, const ModelInputs& prompt, const GenerationOptions& options);

  /// One pass: over the prompts, then over each beam's newest token. Throws Error(kUnsupported) for more beams than the
  /// vocabulary has words for.
  void pass();
  /// Of all inputs.
  bool is_done() const;

  /// One an input.
  const std::vector<Beams>& inputs() const { return inputs_; }
  /// [rows, V] of the last pass.
  const at::Tensor& logits() const { return logits_; }

 private:
  at::Tensor step();
  at::Tensor log_probabilities() const;
  void apply_all_rules(at::Tensor& scores) const;
  void choose();

  CachedDecoding& decoding_;
  GenerationSettings settings_;
  std::vector<std::int64_t> ends_;
  std::int64_t candidates_;
  std::vector<std::vector<std::int64_t>> prompts_;  // empty: no rules
  std::vector<Beams> inputs_;
  at::Tensor logits_;  // undefined: not begun
};

/// As GreedyRequest, with several beams.
class BeamRequest final : public GenerationRequest {
 public:
  /// `prompt`: one row, that the decoding was made with.
  BeamRequest(std::unique_ptr<CachedDecoding> decoding, const ModelInputs& prompt, std::int64_t new_tokens,
              std::int64_t num_beams);

  std::int64_t first_token() override;
  std::int64_t next_token() override { return first_token(); }
  const at::Tensor& logits() const override { return search_.logits(); }
  const KeyValueCache& cache() const override { return decoding_->cache(); }
  std::int64_t cache_bytes() const override { return decoding_->cache_bytes(); }

 private:
  std::unique_ptr<CachedDecoding> decoding_;
  BeamSearch search_;
};

/// The best text of each row of `prompt`, the end token included where one came. Throws Error(kUnsupported) for logits
/// that are not numbers, and as BeamSearch::pass().
std::vector<Beam> beam_generate(CachedDecoding& decoding, const ModelInputs& prompt, const GenerationOptions& options);

}  // namespace transformeter
