// Running text in blocks of equal length.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "datasets/data_file.h"
#include "datasets/training_tasks.h"

namespace transformeter {
namespace {

constexpr std::size_t kTextsAtOnce = 8192;  // whose encodings are in memory before only their ids are kept

class CausalRows final : public TrainingRows {
 public:
  CausalRows(std::vector<std::int32_t> ids, std::vector<std::size_t> blocks, std::size_t length)
      : ids_(std::move(ids)), blocks_(std::move(blocks)), length_(length) {}

  std::size_t size() const override { return blocks_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(blocks_.size()); }
  LabelKind label_kind() const override { return LabelKind::kToken; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const auto begin = ids_.begin() + static_cast<std::ptrdiff_t>(blocks_.at(example) * length_);
    const auto end = begin + static_cast<std::ptrdiff_t>(length_);
    TrainingRow row;
    row.encoding.ids.assign(begin, end);
    row.encoding.type_ids.assign(length_, 0);
    row.encoding.special_mask.assign(length_, 0);
    row.labels.assign(begin, end);
    return {std::move(row)};
  }

 private:
  std::vector<std::int32_t> ids_;    // of all blocks
  std::vector<std::size_t> blocks_;  // that are learnt from
  std::size_t length_;
};

}  // namespace

std::vector<std::string> broken_lines(const std::string& path) {
  const DataFile file(path);
  const std::string_view text = file.text();
  std::vector<std::string> lines;
  for (std::size_t position = 0; position < text.size();) {
    lines.emplace_back(next_line(text, position));
    if (text[position - 1] == '\n') lines.back() += '\n';
  }
  return lines;
}

LabelledRows causal_rows(const std::vector<std::string>& texts, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  if (options.max_length < 2) {
    throw bad_value("max_length", std::to_string(options.max_length),
                    "at least 2 tokens, since the first one is not predicted");
  }
  std::vector<std::int32_t> ids;
  for (std::size_t begin = 0; begin < texts.size(); begin += kTextsAtOnce) {
    const auto some = std::span(texts).subspan(begin, std::min(kTextsAtOnce, texts.size() - begin));
    for (const Encoding& encoding : tokenizer.encode_batch(some, {}, reading_threads())) {
      ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
    }
  }
  const auto length = static_cast<std::size_t>(options.max_length);
  if (ids.size() < length) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {} tokens are too few for a block of max_length {}", where,
                                                  ids.size(), options.max_length));
  }
  const std::size_t blocks = ids.size() / length;
  ids.resize(blocks * length);
  ids.shrink_to_fit();
  LabelledRows labelled;
  labelled.rows = std::make_unique<CausalRows>(std::move(ids), drawn_examples(blocks, options), length);
  return labelled;
}

}  // namespace transformeter
