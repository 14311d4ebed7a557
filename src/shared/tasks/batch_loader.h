// Batches to learn from, made ahead on worker threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "datasets/cycle.h"
#include "tasks/training_rows.h"

namespace transformeter {

struct TrainingBatch {
  Batch inputs;
  LabelKind label_kind = LabelKind::kRow;
  /// [B] of rows; [B*T] of tokens and [B*D] of targets, transcripts and captions, with kNoLabel over padding; first
  /// tokens [B] of spans.
  std::vector<std::int64_t> labels;
  std::int64_t target_length = 0;   // D, of targets, transcripts and captions; else 0
  std::vector<std::int64_t> ends;   // last tokens [B] of spans; else empty
  std::vector<float> numbers = {};  // [B * outputs] of rows with numbers, whose labels are empty; else empty
  std::int64_t epoch = 0;           // from 0
  std::int64_t index = 0;           // in its epoch, from 0
  bool ends_epoch = false;
};

/// Of each row the tokens of its target, transcript or caption; empty where labels are others.
std::vector<std::int64_t> target_lengths(const TrainingBatch& batch);

struct LoaderOptions {
  std::int64_t batch_size = 1;
  std::int64_t least_rows = 1;                  // an epoch's last batch is left out where it would have fewer
  std::optional<std::int64_t> sequence_length;  // each row and target padded to it; nothing: to the batch's longest
  bool bucketed = false;  // rows of similar length share a batch: sorted within a window, whose batches are shuffled
  std::int64_t window_batches = 64;  // that are tokenised, and sorted, at a time
  std::int32_t pad = 0;              // a token's id
  std::uint64_t seed = 0;            // of the order
  bool shuffled = true;
  std::int64_t threads = 1;        // 0: the caller's own, when it asks
  std::int64_t windows_ahead = 2;  // that may wait to be asked for, besides those being made
  std::int64_t first_batch = 0;    // to begin with, counted over all epochs: what came before is passed over
};

/// Batches of one epoch, the last of which may be smaller.
std::int64_t count_epoch_batches(const TrainingRows& rows, const LoaderOptions& options);

/// Epoch after epoch without end. In memory are at most windows_ahead windows, one for each thread, and the one whose
/// batches are taken. Batches and their order depend on the seed alone, never on the number of threads or
/// how fast they are. The last batch of an epoch may be smaller, down to least_rows.
class BatchLoader {
 public:
  /// Threads begin at once. The rows must outlive the loader. Whole epochs before first_batch cost nothing, and of its
  /// own epoch what is before its window, but where examples have several rows: then those are made and dropped. Throws
  /// Error(kBadInput) for an option out of range, Error(kEnvironment) where not one thread can be started.
  BatchLoader(const TrainingRows& rows, const LoaderOptions& options);
  /// Stops the threads, whatever waits.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// Waits for the next batch. Rethrows what was thrown while the next one's window was made, and again each time
  /// after. Throws Error(kUnsupportedShape) for a row or target longer than sequence_length. Not for two threads at
  /// once.
  TrainingBatch next();
  std::int64_t batches_per_epoch() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transformeter
