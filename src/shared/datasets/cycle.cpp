// Selection, batching with padding, packing to order, and the stratified cut.
#include "datasets/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "datasets/length_distribution.h"
#include "datasets/pad_rows.h"

namespace transformeter {
namespace {

void check_row_length(std::int64_t length, std::int64_t max_positions) {
  if (length >= kShortestText && length <= max_positions) return;
  throw Error(ErrorKind::kUnsupportedShape, fmt::format("sequence length {} is not valid; expected {} (one token "
                                                        "between [CLS] and [SEP]) to {}, the model's maximum",
                                                        length, kShortestText, max_positions));
}

void check_options(const CycleOptions& options) {
  const auto check = [](const char* what, std::int64_t value) {
    if (value < 1) throw bad_value(what, std::to_string(value), "at least 1");
  };
  check("batch size", options.batch_size);
  check("max_positions", options.max_positions);
  if (options.bucket_window) check("bucket_window", *options.bucket_window);
  if (options.cut_examples) check("number of examples in a cycle", *options.cut_examples);
  if (options.further_batches < 0) {
    throw bad_value("number of further batches", std::to_string(options.further_batches), "at least 0");
  }
  if (options.sequence_length && options.padded_length) {
    throw Error(ErrorKind::kInternal, "rows of a fixed length, and texts that are padded to one");
  }
  const std::optional<std::int64_t>& length = options.sequence_length ? options.sequence_length : options.padded_length;
  if (length) check_row_length(*length, options.max_positions);
  if (!options.sequence_length && options.padding_share != 0) {
    throw Error(ErrorKind::kBadInput,
                "natural lengths determine their own padding; a padding share needs a fixed length");
  }
}

// The encodings at `positions`, padded to `length`; nothing: to the longest.
Batch pad_batch(const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings,
                std::span<const std::size_t> positions, std::int32_t pad, std::optional<std::int64_t> length) {
  std::vector<const Encoding*> rows;
  for (const std::size_t position : positions) rows.push_back(&encodings[position]);
  Batch batch = pad_rows(rows, pad, length);
  for (const std::size_t position : positions) batch.example_index.push_back(order[position]);
  return batch;
}

void check_positions(const std::vector<Encoding>& encodings, std::int64_t max_positions) {
  for (const Encoding& encoding : encodings) {
    if (static_cast<std::int64_t>(encoding.ids.size()) <= max_positions) continue;
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("an example has {} tokens, but the model has only {} positions", encoding.ids.size(),
                            max_positions));
  }
}

// The examples of a cut cycle, drawn over their lengths; all of them without a cut.
std::vector<std::size_t> kept_examples(const std::vector<Encoding>& encodings, const CycleOptions& options) {
  std::vector<std::int64_t> lengths;
  for (const Encoding& encoding : encodings) lengths.push_back(static_cast<std::int64_t>(encoding.ids.size()));
  const std::size_t keep = options.cut_examples ? static_cast<std::size_t>(*options.cut_examples) : lengths.size();
  return stratified_draw(lengths, keep, options.seed);
}

// Shortest first in each window; equal lengths keep their order.
void sort_windows(std::vector<std::size_t>& kept, const std::vector<Encoding>& encodings, std::size_t window) {
  for (std::size_t begin = 0; begin < kept.size(); begin += window) {
    const auto first = kept.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(window, kept.size() - begin));
    std::stable_sort(first, last, [&](std::size_t left, std::size_t right) {
      return encodings[left].ids.size() < encodings[right].ids.size();
    });
  }
}

Cycle natural_cycle(const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings,
                    const RowFrame& frame, const CycleOptions& options) {
  check_positions(encodings, options.max_positions);
  std::vector<std::size_t> kept = kept_examples(encodings, options);
  if (options.bucket_window) sort_windows(kept, encodings, static_cast<std::size_t>(*options.bucket_window));
  const auto batch_size = static_cast<std::size_t>(options.batch_size);
  Cycle cycle;
  for (std::size_t begin = 0; begin < kept.size(); begin += batch_size) {
    const std::size_t rows = std::min(batch_size, kept.size() - begin);
    cycle.batches.push_back(pad_batch(order, encodings, {kept.data() + begin, rows}, frame.pad, options.padded_length));
  }
  cycle.used_examples = static_cast<std::int64_t>(kept.size());
  cycle.truncated_examples = std::count_if(
      kept.begin(), kept.end(), [&](std::size_t position) { return encodings[position].truncated_tokens > 0; });
  return cycle;
}

// Hands out the examples one after the other, the first again after the last.
class ExampleRing {
 public:
  explicit ExampleRing(const std::vector<Encoding>& encodings) : encodings_(encodings) {
    const auto has_text = [](const Encoding& encoding) {
      return std::any_of(encoding.special_mask.begin(), encoding.special_mask.end(), [](auto m) { return m == 0; });
    };
    if (std::none_of(encodings.begin(), encodings.end(), has_text)) {
      throw Error(ErrorKind::kBadInput, "the selected texts have no tokens to fill rows of a fixed length");
    }
  }
  std::size_t take() {
    if (next_ == encodings_.size()) {
      next_ = 0;
      ++wrap_count_;
    }
    return next_++;
  }
  std::int64_t wrap_count() const { return wrap_count_; }
  std::size_t used() const { return wrap_count_ > 0 ? encodings_.size() : next_; }

 private:
  const std::vector<Encoding>& encodings_;
  std::size_t next_ = 0;
  std::int64_t wrap_count_ = 0;
};

// Texts of successive examples until `count` tokens stand there. What is left of the last text is dropped, so that each
// row begins with the beginning of a text and does not depend on the batch size.
void pack_row(ExampleRing& ring, const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings,
              std::int64_t count, Batch& batch) {
  const std::size_t end = batch.input_ids.size() + static_cast<std::size_t>(count);
  bool is_first = true;
  while (batch.input_ids.size() < end) {
    const std::size_t position = ring.take();
    const Encoding& encoding = encodings[position];
    const std::size_t before = batch.input_ids.size();
    for (std::size_t i = 0; i < encoding.ids.size() && batch.input_ids.size() < end; ++i) {
      if (encoding.special_mask[i] == 0) batch.input_ids.push_back(encoding.ids[i]);
    }
    if (batch.input_ids.size() == before) continue;
    if (is_first) batch.example_index.push_back(order[position]);
    is_first = false;
  }
}

Batch fixed_batch(ExampleRing& ring, const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings,
                  const RowFrame& frame, const CycleOptions& options) {
  Batch batch;
  batch.batch_size = options.batch_size;
  batch.sequence_length = *options.sequence_length;
  for (const std::int64_t length :
       padded_row_lengths(options.batch_size, *options.sequence_length, options.padding_share)) {
    batch.input_ids.insert(batch.input_ids.end(), frame.before.begin(), frame.before.end());
    pack_row(ring, order, encodings, length - frame.size(), batch);
    batch.input_ids.insert(batch.input_ids.end(), frame.after.begin(), frame.after.end());
    batch.attention_mask.resize(batch.input_ids.size(), 1);
    const auto padding = static_cast<std::size_t>(batch.sequence_length - length);
    batch.input_ids.resize(batch.input_ids.size() + padding, frame.pad);
    batch.attention_mask.resize(batch.input_ids.size(), 0);
  }
  batch.token_type_ids.assign(batch.input_ids.size(), 0);
  count_tokens(batch);
  return batch;
}

Cycle fixed_cycle(const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings, const RowFrame& frame,
                  const CycleOptions& options) {
  ExampleRing ring(encodings);
  Cycle cycle;
  cycle.batches.push_back(fixed_batch(ring, order, encodings, frame, options));
  cycle.wrap_count = ring.wrap_count();
  for (std::int64_t i = 0; i < options.further_batches; ++i) {
    cycle.further.push_back(fixed_batch(ring, order, encodings, frame, options));
  }
  cycle.used_examples = static_cast<std::int64_t>(ring.used());
  return cycle;
}

// Whether the texts seen so far fill all rows of all batches as pack_row does; the answer grows with each encoding.
class RowCount {
 public:
  RowCount(const CycleOptions& options, const RowFrame& frame)
      : lengths_(padded_row_lengths(options.batch_size, *options.sequence_length, options.padding_share)),
        rows_(lengths_.size() * static_cast<std::size_t>(1 + options.further_batches)),
        frame_size_(frame.size()) {}
  bool is_full() const { return row_ == rows_; }
  void add(const Encoding& encoding) {
    filled_ += std::count(encoding.special_mask.begin(), encoding.special_mask.end(), std::uint8_t{0});
    if (filled_ < lengths_[row_ % lengths_.size()] - frame_size_) return;
    filled_ = 0;
    ++row_;
  }

 private:
  std::vector<std::int64_t> lengths_;  // of a batch's rows
  std::size_t rows_;
  std::int64_t frame_size_;
  std::size_t row_ = 0;
  std::int64_t filled_ = 0;
};

Encoding encode_example(const Example& example, const Tokenizer& tokenizer, const EncodeOptions& options) {
  return example.text_pair ? tokenizer.encode_pair(example.text, *example.text_pair, options)
                           : tokenizer.encode(example.text, options);
}

}  // namespace

std::vector<std::int64_t> row_lengths(const Batch& batch) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < batch.batch_size; ++row) {
    const auto begin = batch.attention_mask.begin() + row * batch.sequence_length;
    lengths.push_back(std::count(begin, begin + batch.sequence_length, std::uint8_t{1}));
  }
  return lengths;
}

std::vector<std::int64_t> padded_row_lengths(std::int64_t batch_size, std::int64_t sequence_length,
                                             double padding_share) {
  if (!(padding_share >= 0 && padding_share < 1)) {
    throw bad_value("padding share", fmt::format("{}", padding_share), "a share from 0 to below 1");
  }
  const auto padding =
      static_cast<std::int64_t>(std::llround(padding_share * static_cast<double>(batch_size * sequence_length)));
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const std::int64_t here = (row + 1) * padding / batch_size - row * padding / batch_size;
    lengths.push_back(sequence_length - here);
    if (lengths.back() >= kShortestText) continue;
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("padding {} leaves {} of {} tokens in a row; at least {} are needed: [CLS], one, [SEP]",
                            padding_share, lengths.back(), sequence_length, kShortestText));
  }
  return lengths;
}

std::vector<std::size_t> stratified_draw(const std::vector<std::int64_t>& sizes, std::size_t keep, std::uint64_t seed) {
  std::vector<std::size_t> sorted(sizes.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  if (keep >= sorted.size()) return sorted;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  RandomStream random(seed, "cycle/cut");
  std::vector<std::size_t> drawn;
  for (std::size_t stratum = 0; stratum < keep; ++stratum) {
    const std::size_t begin = stratum * sorted.size() / keep;
    const std::size_t end = (stratum + 1) * sorted.size() / keep;
    drawn.push_back(sorted[begin + random.below(end - begin)]);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

std::vector<std::size_t> select_examples(std::size_t example_count, const CycleOptions& options) {
  if (options.limit && *options.limit < 1) {
    throw bad_value("limit", std::to_string(*options.limit), "at least 1 example, or no limit");
  }
  if (example_count == 0) throw Error(ErrorKind::kBadInput, "the data set has no examples");
  std::vector<std::size_t> order(example_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(options.seed, "cycle/order");
  shuffle(order, random);
  if (options.limit) order.resize(std::min(order.size(), static_cast<std::size_t>(*options.limit)));
  return order;
}

std::vector<std::size_t> successive_examples(std::size_t first, std::int64_t count) {
  std::vector<std::size_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

std::vector<Encoding> encode_examples(const DataSet& data, const std::vector<std::size_t>& order,
                                      const Tokenizer& tokenizer, std::optional<std::int64_t> max_length) {
  EncodeOptions options;
  options.max_length = max_length;
  std::vector<Encoding> encodings;
  encodings.reserve(order.size());
  for (const std::size_t index : order)
    encodings.push_back(encode_example(data.examples.at(index), tokenizer, options));
  return encodings;
}

Cycle build_cycle(const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings, const RowFrame& frame,
                  const CycleOptions& options) {
  check_options(options);
  if (encodings.empty()) throw Error(ErrorKind::kBadInput, "no examples are selected");
  if (order.size() != encodings.size()) {
    throw Error(ErrorKind::kInternal, fmt::format("{} indices for {} encodings", order.size(), encodings.size()));
  }
  Cycle cycle = options.sequence_length ? fixed_cycle(order, encodings, frame, options)
                                        : natural_cycle(order, encodings, frame, options);
  cycle.example_count = static_cast<std::int64_t>(encodings.size());
  return cycle;
}

Cycle build_cycle(const DataSet& data, const Tokenizer& tokenizer, const CycleOptions& options) {
  check_options(options);
  const RowFrame frame = options.open_end ? open_row_frame(tokenizer) : row_frame(tokenizer);
  const std::vector<std::size_t> order = select_examples(data.examples.size(), options);
  if (!options.sequence_length) {
    const std::vector<Encoding> encodings = encode_examples(data, order, tokenizer, options.max_positions);
    return build_cycle(order, encodings, frame, options);
  }
  std::vector<Encoding> encodings;
  RowCount rows(options, frame);
  while (encodings.size() < order.size() && !rows.is_full()) {
    encodings.push_back(encode_example(data.examples[order[encodings.size()]], tokenizer, {}));
    rows.add(encodings.back());
  }
  std::vector<std::size_t> used = order;
  used.resize(encodings.size());
  Cycle cycle = build_cycle(used, encodings, frame, options);
  cycle.example_count = static_cast<std::int64_t>(order.size());
  return cycle;
}

}  // namespace transformeter
