// As transformers/generation/logits_process.py of Transformers 5.23, for one row at a time.
#include "engine/generation_rules.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones_like.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"

namespace transformeter {
namespace {

class Scores {
 public:
  explicit Scores(at::Tensor& scores) : values_(scores.data_ptr<float>()), size_(scores.numel()) {}

  void exclude(std::int64_t id) {
    if (id >= 0 && id < size_) values_[id] = -std::numeric_limits<float>::infinity();
  }
  void penalize(std::int64_t id, double penalty) {
    if (id < 0 || id >= size_) return;
    const auto factor = static_cast<float>(penalty);
    values_[id] = values_[id] < 0 ? values_[id] * factor : values_[id] / factor;
  }

 private:
  float* values_;
  std::int64_t size_;
};

bool ends_with(const std::vector<std::int64_t>& tokens, std::vector<std::int64_t>::const_iterator begin,
               std::vector<std::int64_t>::const_iterator end) {
  const auto length = end - begin;
  return static_cast<std::ptrdiff_t>(tokens.size()) >= length && std::equal(begin, end, tokens.end() - length);
}

// What would complete `size` tokens in a row that were there before.
void exclude_repeated(const std::vector<std::int64_t>& tokens, std::int64_t size, Scores& scores) {
  const auto length = static_cast<std::size_t>(size);
  if (tokens.size() + 1 < length) return;
  for (std::size_t begin = 0; begin + length <= tokens.size(); ++begin) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
    if (ends_with(tokens, first, first + (size - 1))) scores.exclude(tokens[begin + length - 1]);
  }
}

// Tokens of each row, on the host.
std::vector<std::vector<std::int64_t>> rows_of(const ModelInputs& prompt) {
  const at::Tensor ids = prompt.input_ids.cpu();
  const at::Tensor mask = prompt.token_mask.defined() ? prompt.token_mask.cpu() : at::ones_like(ids, at::kBool);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    const at::Tensor own = ids[row].masked_select(mask[row]).contiguous();
    rows.emplace_back(own.data_ptr<std::int64_t>(), own.data_ptr<std::int64_t>() + own.numel());
  }
  return rows;
}

}  // namespace

std::vector<std::vector<std::int64_t>> ruled_prompts(const ModelInputs& prompt, std::optional<std::int64_t> start,
                                                     const GenerationSettings& settings) {
  if (!settings.has_rules()) return {};
  if (!start) return rows_of(prompt);
  return {static_cast<std::size_t>(prompt.input_ids.size(0)), std::vector<std::int64_t>{*start}};
}

void check_finite(const at::Tensor& logits) {
  if (at::isfinite(logits).all().item<bool>()) return;
  throw Error(ErrorKind::kUnsupported,
              "the model's outputs are NaN or infinite; its weights may be damaged or too large for this precision");
}

void apply_rules(const GenerationSettings& settings, const NextToken& next, at::Tensor& scores) {
  Scores changed(scores);
  std::vector<std::int64_t> tokens = next.prompt;
  tokens.insert(tokens.end(), next.text.begin(), next.text.end());
  if (settings.repetition_penalty != 1) {
    for (const std::int64_t id : std::set<std::int64_t>(tokens.begin(), tokens.end())) {
      changed.penalize(id, settings.repetition_penalty);
    }
  }
  if (settings.no_repeat_ngram_size > 0) exclude_repeated(tokens, settings.no_repeat_ngram_size, changed);
  for (const std::vector<std::int64_t>& word : settings.bad_words) {
    const bool is_end = word.size() == 1 && std::find(next.ends.begin(), next.ends.end(), word[0]) != next.ends.end();
    if (!is_end && ends_with(tokens, word.begin(), word.end() - 1)) changed.exclude(word.back());
  }
  const auto new_tokens = static_cast<std::int64_t>(next.text.size());
  if (new_tokens < settings.min_new_tokens || static_cast<std::int64_t>(tokens.size()) < settings.min_length) {
    for (const std::int64_t id : next.ends) changed.exclude(id);
  }
  for (const std::int64_t id : settings.suppressed) changed.exclude(id);
  if (next.text.empty()) {
    for (const std::int64_t id : settings.suppressed_first) changed.exclude(id);
  }
}

}  // namespace transformeter
