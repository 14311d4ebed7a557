// Prefill, steps, and the greedy loop.
#include "engine/generation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/generation_rules.h"
#include "model/profile_scope.h"

namespace transformeter {

CachedDecoding::CachedDecoding(const Model& model, const Operators& operators, const ModelInputs& prompt,
                               std::int64_t new_tokens, std::int64_t beams)
    : model_(model),
      operators_(operators),
      inputs_(prompt),
      all_ids_(prompt.input_ids),
      cache_((model.start_token() ? 0 : prompt.input_ids.size(1)) + new_tokens, beams),
      beams_(beams) {
  inputs_.cache = &cache_;
  inputs_.last_token_only = true;
  if (const std::optional<std::int64_t> start = model.start_token()) {
    inputs_.encoded = &encoded_;
    inputs_.decoder_input_ids = at::full({prompt.input_ids.size(0), 1}, *start, prompt.input_ids.options());
  }
}

at::Tensor CachedDecoding::run() {
  return model_.forward(inputs_, operators_).select(1, -1);
}

// As prepare_inputs_for_generation of transformers/models/phi3.
void CachedDecoding::outgrow_cache() {
  const std::optional<std::int64_t> limit = model_.cache_limit();
  if (!limit || cache_.length() > *limit) return;
  all_ids_ = at::cat({all_ids_, inputs_.input_ids}, 1);
  if (cache_.length() < *limit) return;
  cache_.clear();
  inputs_.input_ids = std::exchange(all_ids_, {});
}

at::Tensor CachedDecoding::prefill() {
  const StageScope stage(ProfileStage::kPrefill);
  return run();
}

void CachedDecoding::reorder(const std::vector<std::int64_t>& sources) {
  if (!is_split_) split_into_beams();
  cache_.reorder(sources);
  if (all_ids_.defined()) all_ids_ = all_ids_.index_select(0, at::tensor(sources).to(all_ids_.device()));
}

// Beams of an input share its padding.
void CachedDecoding::split_into_beams() {
  is_split_ = true;
  if (!model_.cache_limit()) all_ids_.reset();
  if (inputs_.encoded != nullptr) return;
  for (at::Tensor* of_rows : {&all_ids_, &inputs_.token_mask, &inputs_.attention_mask}) {
    if (of_rows->defined()) *of_rows = of_rows->repeat_interleave(beams_, 0);
  }
}

at::Tensor CachedDecoding::step(const at::Tensor& ids) {
  const StageScope stage(ProfileStage::kDecode);
  if (inputs_.encoded != nullptr) {
    inputs_.decoder_input_ids = ids.unsqueeze(1);
    return run();
  }
  inputs_.input_ids = ids.unsqueeze(1);
  inputs_.token_type_ids = at::Tensor();
  // The new column is seen by all: a one in the mask of tokens, a zero in the additive one.
  if (inputs_.token_mask.defined()) {
    inputs_.token_mask = at::cat({inputs_.token_mask, inputs_.token_mask.new_ones({ids.size(0), 1})}, 1);
  }
  if (inputs_.attention_mask.defined()) {
    inputs_.attention_mask =
        at::cat({inputs_.attention_mask, inputs_.attention_mask.new_zeros({ids.size(0), 1, 1, 1})}, -1);
  }
  outgrow_cache();
  return run();
}

std::int64_t GreedyRequest::first_token() {
  const c10::InferenceMode guard;
  logits_ = decoding_->prefill();
  return choose();
}

std::int64_t GreedyRequest::next_token() {
  const c10::InferenceMode guard;
  logits_ = decoding_->step(ids_);
  return choose();
}

std::int64_t GreedyRequest::choose() {
  ids_ = logits_.argmax(-1);
  return ids_.item<std::int64_t>();
}

namespace {

// Chooses the next tokens of all rows.
class Chooser {
 public:
  Chooser(const ModelInputs& prompt, std::optional<std::int64_t> start, const GenerationOptions& options)
      : options_(options), prompts_(ruled_prompts(prompt, start, options.settings)) {}

  /// [B], where the logits [B, V] lie.
  at::Tensor choose(const at::Tensor& logits, const std::vector<std::vector<std::int64_t>>& texts) const {
    check_finite(logits);
    if (prompts_.empty()) return logits.argmax(-1);
    const at::Tensor scores = logits.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
    for (std::size_t row = 0; row < texts.size(); ++row) {
      at::Tensor own = scores[static_cast<std::int64_t>(row)];
      apply_rules(options_.settings, {prompts_[row], texts[row], options_.eos_token_ids}, own);
    }
    return scores.argmax(-1).to(logits.device());
  }

 private:
  const GenerationOptions& options_;
  std::vector<std::vector<std::int64_t>> prompts_;  // empty: no rules
};

}  // namespace

std::vector<std::vector<std::int64_t>> greedy_generate(CachedDecoding& decoding, const ModelInputs& prompt,
                                                       const GenerationOptions& options) {
  const Chooser chooser(prompt, decoding.start_token(), options);
  const auto is_end = [&](std::int64_t id) {
    return std::find(options.eos_token_ids.begin(), options.eos_token_ids.end(), id) != options.eos_token_ids.end();
  };
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(prompt.input_ids.size(0)));
  at::Tensor ids = chooser.choose(decoding.prefill(), rows);
  for (std::int64_t count = 1;; ++count) {
    const at::Tensor host = ids.cpu();
    bool all_ended = true;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row].empty() && is_end(rows[row].back())) continue;
      rows[row].push_back(host.data_ptr<std::int64_t>()[row]);
      all_ended = all_ended && is_end(rows[row].back());
    }
    if (all_ended || count >= options.max_new_tokens) return rows;
    ids = chooser.choose(decoding.step(ids), rows);
  }
}

}  // namespace transformeter
