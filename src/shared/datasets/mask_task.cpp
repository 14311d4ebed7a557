// Masked language models: the most likely tokens for each mask of the text.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "datasets/prediction_tasks.h"
#include "datasets/softmax.h"

namespace transformeter {
namespace {

std::vector<std::int32_t> best_ids(std::span<const float> scores, std::size_t count) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  const auto score = [&](std::int32_t id) { return scores[static_cast<std::size_t>(id)]; };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::int32_t a, std::int32_t b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
  order.resize(count);
  return order;
}

class MaskedText final : public EncodedInput {
 public:
  MaskedText(const PredictionInput& input, const Tokenizer& tokenizer, const EncodeOptions& options, std::int64_t top_k)
      : tokenizer_(tokenizer), top_k_(static_cast<std::size_t>(top_k)) {
    const std::vector<Token> tokens = tokenizer.tokenize(input.text, options);
    rows_.push_back(tokenizer.encode(input.text, options));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].id != tokenizer.special_tokens().mask) continue;
      const TextSpan place = tokens[i].characters;
      masks_.push_back({i, {static_cast<std::int64_t>(place.begin), static_cast<std::int64_t>(place.end)}});
    }
    if (!masks_.empty()) return;
    throw Error(ErrorKind::kBadInput,
                fmt::format("the text has no mask to fill{}; write {} in place of a word",
                            rows_.front().truncated_tokens > 0 ? " within the model's length" : "",
                            tokenizer.token(*tokenizer.special_tokens().mask)));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    MaskPrediction prediction;
    for (const Mask& mask : masks_) {
      const std::span<const float> scores = outputs.front().token(mask.token);
      const std::vector<double> shares = softmax(scores);
      FilledMask filled{mask.place, {}};
      for (const std::int32_t id : best_ids(scores, top_k_)) {
        filled.fillings.push_back({id, text_of(id), shares[static_cast<std::size_t>(id)]});
      }
      prediction.masks.push_back(std::move(filled));
    }
    return {std::move(prediction), rows_.front().truncated_tokens > 0};
  }

 private:
  struct Mask {
    std::size_t token = 0;
    CharacterRange place;
  };

  // Models may have more outputs than the vocabulary has words, for a rounder number.
  std::string text_of(std::int32_t id) const {
    return id < tokenizer_.vocabulary_size() ? tokenizer_.decode({{id}}, false) : std::string();
  }

  const Tokenizer& tokenizer_;
  std::size_t top_k_;
  std::vector<Mask> masks_;
};

class MaskTask final : public PredictionTask {
 public:
  MaskTask(const PredictionModel& model, const PredictionOptions& options)
      : PredictionTask(false), tokenizer_(model.tokenizer), top_k_(options.top_k) {
    options_.max_length = options.max_length;
    if (top_k_ < 1) throw bad_value("top_k", std::to_string(top_k_), "at least 1");
    if (!tokenizer_.special_tokens().mask) {
      throw Error(ErrorKind::kUnsupported, "the model's tokenizer has no mask token, which masked_lm needs");
    }
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    return std::make_unique<MaskedText>(input, tokenizer_, options_, top_k_);
  }

  const Tokenizer& tokenizer_;
  std::int64_t top_k_;
  EncodeOptions options_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_mask_task(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<MaskTask>(model, options);
}

}  // namespace transformeter
