// The batches of a BatchLoader without its threads: windows of an epoch's shuffled examples, and windows cut into
// batches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tasks/batch_loader.h"
#include "tasks/training_rows.h"

namespace transformeter {

/// Successive examples of an epoch's order.
struct Window {
  std::int64_t epoch = 0;
  std::int64_t index = 0;          // in its epoch, from 0
  std::size_t begin = 0, end = 0;  // in the order
  bool ends_epoch = false;
};

struct WindowRow {
  TrainingRow row;
  std::size_t example = 0;
};

/// Which examples each window has. Every function may be called by several threads at once. Borrows the rows.
class TrainingWindows {
 public:
  TrainingWindows(const TrainingRows& rows, const LoaderOptions& options);

  /// The window `number` windows behind the one that the first batch is in, or that the first batch's epoch begins with
  /// where examples have several rows, so that nothing but making them tells in which window a batch is.
  Window at(std::int64_t number) const;
  /// From window 0 to the first batch.
  std::int64_t batches_before_first() const { return batches_before_first_; }
  std::int64_t batches_per_epoch() const { return batches_per_epoch_; }
  /// The rows of its examples, in order; ends early, with less, once `is_stopped`.
  std::vector<WindowRow> rows_of(const Window& window, const std::atomic<bool>& is_stopped) const;

 private:
  using Order = std::shared_ptr<const std::vector<std::size_t>>;
  Order order_of(std::int64_t epoch) const;

  const TrainingRows& rows_;
  std::uint64_t seed_;
  bool is_shuffled_;
  std::size_t window_size_;  // examples
  std::int64_t windows_per_epoch_;
  std::int64_t batches_per_epoch_;
  std::int64_t first_window_;  // counted over all epochs
  std::int64_t batches_before_first_;
  mutable std::mutex mutex_;  // of what follows
  mutable Order order_;       // that was asked for last: shuffling once an epoch, not once a window
  mutable std::int64_t order_epoch_ = 0;
};

/// Cuts windows, in order, into batches. For one thread at a time.
class WindowCutter {
 public:
  /// `first`: the window that it will be given first; all rows of its epoch before it are in earlier windows' batches.
  WindowCutter(const TrainingRows& rows, const LoaderOptions& options, const Window& first);

  /// The rows left over from the window before come first. Of all these the last, fewer than a batch, are left over
  /// again before anything is sorted: picked by length they would be the longest ones each time. At the end of an epoch
  /// they are its last batch, or where they are fewer than least_rows are left out; a window may have no batch then.
  std::deque<TrainingBatch> cut(const Window& window, std::vector<WindowRow> rows);

 private:
  /// Sounds are taken out of the rows.
  Batch inputs_of(std::span<WindowRow> rows) const;
  TrainingBatch pad(const Window& window, std::span<WindowRow> rows);

  LabelKind label_kind_;
  std::optional<ImageRow> image_;
  std::optional<SoundRow> sound_;
  LoaderOptions options_;
  std::int64_t rows_per_epoch_;
  std::int64_t batches_per_epoch_;
  std::vector<WindowRow> left_over_;
  std::int64_t rows_cut_;  // of this epoch: those in batches, and those left out
};

}  // namespace transformeter
