// Shuffling, cutting and sorting; every draw has a stream of its own, so that nothing depends on what came before.
#include "tasks/window_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "datasets/image_batch.h"
#include "datasets/pad_rows.h"
#include "datasets/sound_batch.h"

namespace transformeter {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

std::size_t length_of(const WindowRow& row) {
  return row.row.encoding.ids.size();
}

void add_padded(const std::vector<std::int64_t>& labels, std::int64_t length, TrainingBatch& batch) {
  batch.labels.insert(batch.labels.end(), labels.begin(), labels.end());
  batch.labels.resize(batch.labels.size() + static_cast<std::size_t>(length) - labels.size(), kNoLabel);
}

// Labels of tokens stand as the tokens do in the padded batch.
void add_labels(const WindowRow& row, TrainingBatch& batch) {
  if (batch.label_kind == LabelKind::kNumbers) {
    batch.numbers.insert(batch.numbers.end(), row.row.numbers.begin(), row.row.numbers.end());
    return;
  }
  const std::vector<std::int64_t>& labels = row.row.labels;
  if (has_own_lengths(batch.label_kind)) return add_padded(labels, batch.target_length, batch);
  const std::size_t wanted = batch.label_kind == LabelKind::kRow    ? 1
                             : batch.label_kind == LabelKind::kSpan ? 2
                                                                    : length_of(row);
  if (labels.size() != wanted) {
    throw Error(ErrorKind::kInternal, fmt::format("a row of {} tokens has {} labels", length_of(row), labels.size()));
  }
  if (batch.label_kind != LabelKind::kToken) {
    batch.labels.push_back(labels.front());
    if (batch.label_kind == LabelKind::kSpan) batch.ends.push_back(labels.back());
    return;
  }
  add_padded(labels, batch.inputs.sequence_length, batch);
}

// As pad_rows lays out the rows, but for one column where all are empty.
std::int64_t padded_target_length(std::span<const WindowRow> rows, std::optional<std::int64_t> asked) {
  std::int64_t longest = 1;
  for (const WindowRow& row : rows) longest = std::max(longest, static_cast<std::int64_t>(row.row.labels.size()));
  if (asked && longest > *asked) {
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("a target of {} tokens does not fit into a sequence length of {}", longest, *asked));
  }
  return asked.value_or(longest);
}

}  // namespace

TrainingWindows::TrainingWindows(const TrainingRows& rows, const LoaderOptions& options)
    : rows_(rows),
      seed_(options.seed),
      is_shuffled_(options.shuffled),
      window_size_(static_cast<std::size_t>(options.window_batches * options.batch_size)),
      windows_per_epoch_(divide_up(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(window_size_))),
      batches_per_epoch_(count_epoch_batches(rows, options)) {
  const auto size = static_cast<std::int64_t>(rows.size());
  if (size < 1 || rows.row_count() < size || batches_per_epoch_ < 1) {
    throw Error(ErrorKind::kInternal, fmt::format("{} examples with {} rows", size, rows.row_count()));
  }
  first_window_ = options.first_batch / batches_per_epoch_ * windows_per_epoch_;
  batches_before_first_ = options.first_batch % batches_per_epoch_;
  if (rows.row_count() > size) return;
  first_window_ += batches_before_first_ / options.window_batches;
  batches_before_first_ %= options.window_batches;
}

Window TrainingWindows::at(std::int64_t number) const {
  Window window;
  window.epoch = (first_window_ + number) / windows_per_epoch_;
  window.index = (first_window_ + number) % windows_per_epoch_;
  window.begin = static_cast<std::size_t>(window.index) * window_size_;
  window.end = std::min(window.begin + window_size_, rows_.size());
  window.ends_epoch = window.index + 1 == windows_per_epoch_;
  return window;
}

TrainingWindows::Order TrainingWindows::order_of(std::int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  if (order_ && order_epoch_ == epoch) return order_;
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (is_shuffled_) {
    RandomStream random(seed_, fmt::format("training/order/{}", epoch));
    shuffle(order, random);
  }
  order_ = std::make_shared<const std::vector<std::size_t>>(std::move(order));
  order_epoch_ = epoch;
  return order_;
}

std::vector<WindowRow> TrainingWindows::rows_of(const Window& window, const std::atomic<bool>& is_stopped) const {
  const Order order = order_of(window.epoch);
  std::vector<WindowRow> rows;
  for (std::size_t i = window.begin; i < window.end && !is_stopped; ++i) {
    const std::size_t example = (*order)[i];
    for (TrainingRow& row : rows_.rows(example, window.epoch)) rows.push_back({std::move(row), example});
  }
  return rows;
}

WindowCutter::WindowCutter(const TrainingRows& rows, const LoaderOptions& options, const Window& first)
    : label_kind_(rows.label_kind()),
      image_(rows.image()),
      sound_(rows.sound()),
      options_(options),
      rows_per_epoch_(rows.row_count()),
      batches_per_epoch_(count_epoch_batches(rows, options)),
      rows_cut_(static_cast<std::int64_t>(first.begin)) {}

std::deque<TrainingBatch> WindowCutter::cut(const Window& window, std::vector<WindowRow> rows) {
  const auto batch_size = static_cast<std::size_t>(options_.batch_size);
  rows.insert(rows.begin(), std::move_iterator(left_over_.begin()), std::move_iterator(left_over_.end()));
  const std::size_t whole = rows.size() / batch_size * batch_size;
  left_over_.assign(std::move_iterator(rows.begin() + static_cast<std::ptrdiff_t>(whole)),
                    std::move_iterator(rows.end()));
  rows.resize(whole);
  std::vector<std::size_t> begins;
  for (std::size_t begin = 0; begin < whole; begin += batch_size) begins.push_back(begin);
  if (options_.bucketed) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const WindowRow& a, const WindowRow& b) { return length_of(a) < length_of(b); });
    RandomStream random(options_.seed, fmt::format("training/batches/{}/{}", window.epoch, window.index));
    shuffle(begins, random);
  }
  std::deque<TrainingBatch> batches;
  for (const std::size_t begin : begins) batches.push_back(pad(window, {rows.data() + begin, batch_size}));
  if (!window.ends_epoch) return batches;
  const auto left_over = static_cast<std::int64_t>(left_over_.size());
  if (left_over >= options_.least_rows) {
    batches.push_back(pad(window, left_over_));
  } else {
    rows_cut_ += left_over;
  }
  left_over_.clear();
  if (rows_cut_ != rows_per_epoch_) {
    throw Error(ErrorKind::kInternal, fmt::format("an epoch of {} rows had {}", rows_per_epoch_, rows_cut_));
  }
  rows_cut_ = 0;
  return batches;
}

Batch WindowCutter::inputs_of(std::span<WindowRow> rows) const {
  if (image_) {
    Batch batch = image_batch(rows.size(), image_->shape, image_->tokens);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].row.pixels.begin(), rows[i].row.pixels.end(), pixels_of(batch, i).begin());
    }
    return batch;
  }
  if (sound_) {
    std::vector<std::vector<float>> sounds;
    for (WindowRow& row : rows) sounds.push_back(std::move(row.row.samples));
    return sound_batch(sounds, sound_->waves, sound_->padding);
  }
  std::vector<const Encoding*> encodings;
  for (const WindowRow& row : rows) encodings.push_back(&row.row.encoding);
  return pad_rows(encodings, options_.pad, options_.sequence_length);
}

TrainingBatch WindowCutter::pad(const Window& window, std::span<WindowRow> rows) {
  TrainingBatch batch;
  batch.inputs = inputs_of(rows);
  batch.label_kind = label_kind_;
  if (has_own_lengths(label_kind_)) batch.target_length = padded_target_length(rows, options_.sequence_length);
  for (const WindowRow& row : rows) {
    batch.inputs.example_index.push_back(row.example);
    add_labels(row, batch);
  }
  batch.epoch = window.epoch;
  batch.index = rows_cut_ / options_.batch_size;
  batch.ends_epoch = batch.index + 1 == batches_per_epoch_;
  rows_cut_ += static_cast<std::int64_t>(rows.size());
  return batch;
}

}  // namespace transformeter
