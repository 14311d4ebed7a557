// Threads take windows by number, tokenise them side by side, and cut them into batches one after the other, because
// what a window leaves over begins the next one.
#include "tasks/batch_loader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "tasks/window_batches.h"

namespace transformeter {
namespace {

void check_options(const LoaderOptions& options) {
  const auto check = [](const char* what, std::int64_t value, std::int64_t least) {
    if (value < least) throw bad_value(what, std::to_string(value), "at least " + std::to_string(least));
  };
  check("least_rows", options.least_rows, 1);
  check("batch size", options.batch_size, options.least_rows);
  if (options.sequence_length) check("sequence length", *options.sequence_length, 1);
  check("window_batches", options.window_batches, 1);
  check("loader threads", options.threads, 0);
  check("windows_ahead", options.windows_ahead, 0);
  check("first_batch", options.first_batch, 0);
}

struct MadeWindow {
  std::deque<TrainingBatch> batches;
  std::exception_ptr failure;  // null: none; then there are no batches, and no further window
};

}  // namespace

std::vector<std::int64_t> target_lengths(const TrainingBatch& batch) {
  std::vector<std::int64_t> lengths;
  if (!has_own_lengths(batch.label_kind)) return lengths;
  for (auto row = batch.labels.begin(); row != batch.labels.end(); row += batch.target_length) {
    lengths.push_back(batch.target_length - std::count(row, row + batch.target_length, kNoLabel));
  }
  return lengths;
}

std::int64_t count_epoch_batches(const TrainingRows& rows, const LoaderOptions& options) {
  const std::int64_t whole = rows.row_count() / options.batch_size, rest = rows.row_count() % options.batch_size;
  return rest < options.least_rows ? whole : whole + 1;
}

class BatchLoader::Impl {
 public:
  Impl(const TrainingRows& rows, const LoaderOptions& options)
      : windows_(rows, options), cutter_(rows, options, windows_.at(0)), skip_(windows_.batches_before_first()) {
    limit_ = options.windows_ahead + options.threads;
    try {
      while (static_cast<std::int64_t>(threads_.size()) < options.threads) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      // Those that started do it all.
      if (threads_.empty()) {
        throw Error(ErrorKind::kEnvironment, std::string("cannot start a data loader thread: ") + error.what());
      }
    }
  }

  ~Impl() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }

  TrainingBatch next() {
    for (;; --skip_) {
      while (current_.batches.empty()) {
        if (current_.failure) std::rethrow_exception(current_.failure);
        current_ = threads_.empty() ? make_window() : take_window();
      }
      TrainingBatch batch = std::move(current_.batches.front());
      current_.batches.pop_front();
      if (skip_ == 0) return batch;
    }
  }

  std::int64_t batches_per_epoch() const { return windows_.batches_per_epoch(); }

 private:
  // Holding the mutex while it sets the flag, so that no thread misses it between its look and its wait.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
  }

  MadeWindow make_window() {
    const Window window = windows_.at(taken_++);
    return cut(window, tokenise(window));
  }

  MadeWindow take_window() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty(); });
    MadeWindow made = std::move(ready_.front());
    ready_.pop_front();
    ++handed_out_;
    changed_.notify_all();
    return made;
  }

  struct TokenisedWindow {
    std::vector<WindowRow> rows;
    std::exception_ptr failure;
  };

  TokenisedWindow tokenise(const Window& window) {
    TokenisedWindow tokenised;
    try {
      tokenised.rows = windows_.rows_of(window, is_stopped_);
    } catch (...) {
      tokenised.failure = std::current_exception();
    }
    return tokenised;
  }

  MadeWindow cut(const Window& window, TokenisedWindow tokenised) {
    MadeWindow made;
    made.failure = tokenised.failure;
    if (made.failure) return made;
    try {
      made.batches = cutter_.cut(window, std::move(tokenised.rows));
    } catch (...) {
      made.failure = std::current_exception();
    }
    return made;
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopped_ || taken_ - handed_out_ < limit_; });
      if (is_stopped_) return;
      const std::int64_t number = taken_++;
      lock.unlock();
      const Window window = windows_.at(number);
      TokenisedWindow tokenised = tokenise(window);
      lock.lock();
      changed_.wait(lock, [&] { return is_stopped_ || cut_count_ == number; });
      if (is_stopped_) return;
      lock.unlock();
      MadeWindow made = cut(window, std::move(tokenised));
      lock.lock();
      is_stopped_ = is_stopped_ || made.failure;
      ready_.push_back(std::move(made));
      ++cut_count_;
      changed_.notify_all();
    }
  }

  TrainingWindows windows_;
  WindowCutter cutter_;  // of the thread whose turn it is
  MadeWindow current_;   // of next() alone, as skip_
  std::int64_t skip_;
  std::int64_t limit_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;  // of what follows
  std::atomic<bool> is_stopped_ = false;
  std::int64_t taken_ = 0;       // windows that threads have begun
  std::int64_t cut_count_ = 0;   // windows cut into batches: the number of the one whose turn is next
  std::int64_t handed_out_ = 0;  // windows whose batches next() gives out
  std::deque<MadeWindow> ready_;
  std::vector<std::thread> threads_;
};

BatchLoader::BatchLoader(const TrainingRows& rows, const LoaderOptions& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(rows, options);
}

BatchLoader::~BatchLoader() = default;

TrainingBatch BatchLoader::next() {
  return impl_->next();
}

std::int64_t BatchLoader::batches_per_epoch() const {
  return impl_->batches_per_epoch();
}

}  // namespace transformeter
