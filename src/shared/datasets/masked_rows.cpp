// Texts of which some tokens are hidden.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "datasets/training_tasks.h"

namespace transformeter {
namespace {

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

}  // namespace

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

LabelledRows masked_rows(std::vector<std::string> texts, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  std::vector<std::string> drawn;
  for (const std::size_t i : drawn_examples(texts.size(), options)) drawn.push_back(std::move(texts[i]));
  LabelledRows labelled;
  labelled.rows = std::make_unique<MaskedRows>(std::move(drawn), tokenizer, options);
  check_room(tokenizer, options);
  return labelled;
}

}  // namespace transformeter
