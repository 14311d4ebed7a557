// Masked language models: the most likely tokens for each mask of a text; training hides some tokens.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "tasks/accuracy.h"
#include "tasks/predictions.h"
#include "tasks/score_files.h"
#include "tasks/softmax.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

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

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<MaskTask>(model, options);
}

std::vector<int> joined(const std::vector<TokenIds>& lines) {
  std::vector<int> ids;
  for (const TokenIds& line : lines) ids.insert(ids.end(), line.ids.begin(), line.ids.end());
  return ids;
}

ScoreReport score(const ScoreInputs& inputs) {
  const DataFile data(inputs.request.data);
  inputs.data_sha256 = data.sha256();
  const auto labels = read_token_ids(data.where(), data.text());
  const auto predicted = read_token_ids(inputs.predictions.where(), inputs.predictions.text());
  for (std::size_t i = 0; i < std::min(labels.size(), predicted.size()); ++i) {
    if (labels[i].ids.size() == predicted[i].ids.size()) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}:{}: {} token ids, but {}:{} has {}", inputs.predictions.where(), predicted[i].line,
                            predicted[i].ids.size(), data.where(), labels[i].line, labels[i].ids.size()));
  }
  if (labels.size() != predicted.size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} lists of token ids, but {} has {}", inputs.predictions.where(), predicted.size(),
                            data.where(), labels.size()));
  }
  const std::vector<int> all_labels = joined(labels);
  if (std::all_of(all_labels.begin(), all_labels.end(), [](int label) { return label == kNoLabel; })) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: nothing to score, all labels are {}", data.where(), kNoLabel));
  }
  return score_masked_lm(joined(predicted), all_labels);
}

// Hides tokens of rows from a masked language model, as Transformers' DataCollatorForLanguageModeling: each token of
// the text is chosen with probability `masked_share`; of those chosen 80 % become the mask token, 10 % any token, 10 %
// stay, and all have their id as label.
class TokenMasker {
 public:
  // Throws Error(kUnsupported) for a tokenizer without a mask token, Error(kBadInput) for a share outside (0, 1].
  TokenMasker(const Tokenizer& tokenizer, const TrainingRowsOptions& options);
  // Draws again for each example and epoch; of a row none of whose tokens is drawn, one is hidden all the same.
  TrainingRow mask(Encoding encoding, std::size_t example, std::int64_t epoch) const;

 private:
  void hide(TrainingRow& row, std::size_t place, RandomStream& random) const;

  double share_;
  std::uint64_t seed_;
  std::uint64_t vocabulary_size_;
  std::int32_t mask_ = 0;
};

TokenMasker::TokenMasker(const Tokenizer& tokenizer, const TrainingRowsOptions& options)
    : share_(options.masked_share),
      seed_(options.seed),
      vocabulary_size_(static_cast<std::uint64_t>(tokenizer.vocabulary_size())) {
  if (!(share_ > 0 && share_ <= 1)) {
    throw bad_value("masked share", fmt::format("{}", share_), "a share above 0 and up to 1");
  }
  const std::optional<std::int32_t> mask = tokenizer.special_tokens().mask;
  if (!mask) throw Error(ErrorKind::kUnsupported, "the model's tokenizer has no mask token, which masked_lm needs");
  mask_ = *mask;
}

TrainingRow TokenMasker::mask(Encoding encoding, std::size_t example, std::int64_t epoch) const {
  RandomStream random(seed_, fmt::format("training/mask/{}/{}", epoch, example));
  TrainingRow row{std::move(encoding), {}};
  std::vector<std::size_t> own;  // places that are no special token
  bool is_any_hidden = false;
  row.labels.assign(row.encoding.ids.size(), kNoLabel);
  for (std::size_t i = 0; i < row.encoding.ids.size(); ++i) {
    if (row.encoding.special_mask[i] != 0) continue;
    own.push_back(i);
    if (random.uniform() >= share_) continue;
    hide(row, i, random);
    is_any_hidden = true;
  }
  if (!is_any_hidden && !own.empty()) hide(row, own[random.below(own.size())], random);
  return row;
}

void TokenMasker::hide(TrainingRow& row, std::size_t place, RandomStream& random) const {
  std::int32_t& id = row.encoding.ids[place];
  row.labels[place] = id;
  const double way = random.uniform();
  if (way < 0.8) {
    id = mask_;
  } else if (way < 0.9) {
    id = static_cast<std::int32_t>(random.below(vocabulary_size_));
  }
}

class MaskedRows final : public TrainingRows {
 public:
  MaskedRows(std::vector<std::string> texts, const Tokenizer& tokenizer, const TrainingRowsOptions& options)
      : texts_(std::move(texts)), tokenizer_(tokenizer), masker_(tokenizer, options) {
    encode_.max_length = options.max_length;
  }

  std::size_t size() const override { return texts_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(texts_.size()); }
  LabelKind label_kind() const override { return LabelKind::kToken; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const override {
    return {masker_.mask(tokenizer_.encode(texts_.at(example), encode_), example, epoch)};
  }

 private:
  std::vector<std::string> texts_;
  const Tokenizer& tokenizer_;
  EncodeOptions encode_;
  TokenMasker masker_;
};

LabelledRows masked_rows(std::vector<std::string> texts, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  std::vector<std::string> drawn;
  for (const std::size_t i : drawn_examples(texts.size(), options)) drawn.push_back(std::move(texts[i]));
  LabelledRows labelled;
  labelled.rows = std::make_unique<MaskedRows>(std::move(drawn), tokenizer, options);
  check_room(tokenizer, options);
  return labelled;
}

LabelledRows read_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& options) {
  return masked_rows(single_texts(load_dataset(path, data), path, options), tokenizer, options);
}

RowLabeller random_labels(std::int64_t /*classes*/, const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  return [masker = TokenMasker(tokenizer, options)](Encoding encoding, std::size_t example, std::int64_t epoch) {
    return masker.mask(std::move(encoding), example, epoch);
  };
}

}  // namespace

TaskType masked_lm_type() {
  TaskType type;
  type.task = Task::kMaskedLm;
  type.make_prediction = make_prediction;
  type.score = score;
  type.loss = LossKind::kLabels;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kToken;
  type.divide = running_text_sets;
  return type;
}

}  // namespace transformeter
