// Beams of an input are rows side by side: row i · num_beams + k is beam k of input i.
#include "engine/beam_search.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/topk.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "engine/generation_rules.h"

namespace transformeter {
namespace {

BeamOptions beam_options(const GenerationOptions& options) {
  return {options.settings.beams, options.max_new_tokens, options.eos_token_ids};
}

GenerationOptions fixed_length(std::int64_t new_tokens, std::int64_t num_beams) {
  GenerationOptions options;
  options.max_new_tokens = new_tokens;
  options.settings.beams.num_beams = num_beams;
  return options;
}

}  // namespace

BeamSearch::BeamSearch(CachedDecoding& decoding, const ModelInputs& prompt, const GenerationOptions& options)
    : decoding_(decoding),
      settings_(options.settings),
      ends_(options.eos_token_ids),
      candidates_(candidates_of_beams(options.settings.beams.num_beams, static_cast<std::int64_t>(ends_.size()))),
      prompts_(ruled_prompts(prompt, decoding.start_token(), options.settings)),
      inputs_(static_cast<std::size_t>(prompt.input_ids.size(0)), Beams(beam_options(options))) {}

void BeamSearch::pass() {
  logits_ = logits_.defined() ? step() : decoding_.prefill();
  check_vocabulary_of_beams(settings_.beams.num_beams, static_cast<std::int64_t>(ends_.size()), logits_.size(1));
  choose();
}

bool BeamSearch::is_done() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const Beams& beams) { return beams.is_done(); });
}

at::Tensor BeamSearch::step() {
  std::vector<std::int64_t> sources, newest;
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    const std::int64_t first = static_cast<std::int64_t>(input) * settings_.beams.num_beams;
    for (const Beam& beam : inputs_[input].running()) {
      sources.push_back(first + beam.source);
      newest.push_back(beam.text.back());
    }
  }
  decoding_.reorder(sources);
  return decoding_.step(at::tensor(newest).to(logits_.device()));
}

// [rows, V] in fp32: of each beam's next token.
at::Tensor BeamSearch::log_probabilities() const {
  const at::Tensor scores = logits_.to(at::kFloat).log_softmax(-1);
  if (prompts_.empty()) return settings_.renormalizes ? scores.log_softmax(-1) : scores;
  at::Tensor ruled = scores.to(at::kCPU).contiguous();
  apply_all_rules(ruled);
  if (settings_.renormalizes) ruled = ruled.log_softmax(-1);
  return ruled.to(logits_.device());
}

void BeamSearch::apply_all_rules(at::Tensor& scores) const {
  std::int64_t row = 0;
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    for (const Beam& beam : inputs_[input].running()) {
      at::Tensor own = scores[row++];
      apply_rules(settings_, {prompts_[input], beam.text, ends_}, own);
    }
  }
}

void BeamSearch::choose() {
  std::vector<float> before;  // of each row
  for (const Beams& beams : inputs_) {
    for (const Beam& beam : beams.running()) before.push_back(beam.score);
  }
  const std::int64_t words = logits_.size(1);
  const auto inputs = static_cast<std::int64_t>(inputs_.size());
  const at::Tensor sums = log_probabilities().add_(at::tensor(before).to(logits_.device()).unsqueeze(1));
  const auto [values, places] = at::topk(sums.view({inputs, -1}), candidates_);
  const at::Tensor scores = values.cpu().contiguous(), chosen = places.cpu().contiguous();
  const float* score = scores.data_ptr<float>();
  const std::int64_t* place = chosen.data_ptr<std::int64_t>();
  std::vector<BeamCandidate> candidates(static_cast<std::size_t>(candidates_));
  for (Beams& beams : inputs_) {
    for (BeamCandidate& one : candidates) {
      one = {*place / words, *place % words, *score};
      ++place;
      ++score;
    }
    beams.advance(candidates);
  }
}

BeamRequest::BeamRequest(std::unique_ptr<CachedDecoding> decoding, const ModelInputs& prompt, std::int64_t new_tokens,
                         std::int64_t num_beams)
    : decoding_(std::move(decoding)), search_(*decoding_, prompt, fixed_length(new_tokens, num_beams)) {}

std::int64_t BeamRequest::first_token() {
  const c10::InferenceMode guard;
  search_.pass();
  return search_.inputs().front().best().text.back();
}

std::vector<Beam> beam_generate(CachedDecoding& decoding, const ModelInputs& prompt, const GenerationOptions& options) {
  BeamSearch search(decoding, prompt, options);
  while (!search.is_done()) {
    search.pass();
    check_finite(search.logits());
  }
  std::vector<Beam> texts;
  for (const Beams& beams : search.inputs()) texts.push_back(beams.best());
  return texts;
}

}  // namespace transformeter
