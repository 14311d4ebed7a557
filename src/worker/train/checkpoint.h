// Checkpoints from which a training resumes: OUTPUT/checkpoints/step-00000123 with model.safetensors (weights by name),
// optimizer.safetensors (its state by name) and training.json (the step, what the caller adds, and the sizes and
// SHA-256 of the others and of itself).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "train/named_tensor.h"

namespace transformeter {

/// Tensors shared with a training.
struct TrainingState {
  std::vector<NamedTensor> weights;
  std::vector<NamedTensor> optimizer;  // Optimizer::state
};

struct TrainingCheckpoint {
  std::filesystem::path folder;
  std::int64_t step = 0;
  Json progress;  // as it was given to write
};

/// A checkpoint that cannot be resumed from, and why: truncated, modified, or incomplete.
struct RefusedCheckpoint {
  std::filesystem::path folder;
  std::string reason;
};

struct FoundCheckpoints {
  std::optional<TrainingCheckpoint> newest;  // of those that are whole
  std::vector<RefusedCheckpoint> refused;    // later ones that are not, latest first
};

/// The checkpoints of one training; only one program may write them at a time.
class TrainingCheckpoints {
 public:
  /// Keeps the newest `kept`, at least 1.
  TrainingCheckpoints(const std::filesystem::path& output, std::size_t kept);

  /// Atomic: after a kill at any moment the new checkpoint is complete or absent, and a full disk leaves the existing
  /// ones unchanged. `progress` must hold all that the next step depends on beyond weights and optimizer: the loader's
  /// place, the state of random numbers, the loss scale; numbers in it come back as they are, but for those that are
  /// not finite, which JSON lacks. One of the same step is replaced. Afterwards older ones are removed, never the one
  /// just written; later ones, which the training must have passed over, stay and do not count. `alive` is called after
  /// each file. Throws Error(kEnvironment).
  TrainingCheckpoint write(std::int64_t step, const TrainingState& state, const Json& progress,
                           const std::function<void()>& alive = {}) const;

  /// Reads every byte of the newest, once what a kill left is brought in order: a checkpoint that was to be replaced
  /// has its name again. No folder of checkpoints is the same as none in it. `alive` is called after each file; what it
  /// throws ends the search. Throws Error(kEnvironment) where that folder cannot be listed or written.
  FoundCheckpoints find(const std::function<void()>& alive = {}) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void settle() const;
  void remove_older_than(std::int64_t step) const;

  std::filesystem::path folder_;
  std::size_t kept_;
};

/// Copies the checkpoint's values into `state`, bit for bit. Nothing is changed where one does not fit: throws
/// Error(kBadInput) naming file and tensor for one that is missing, one too many, or one of another shape or type.
void restore(const TrainingCheckpoint& checkpoint, const TrainingState& state);

}  // namespace transformeter
