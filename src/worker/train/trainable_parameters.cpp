// Matched, then completed.
#include "train/trainable_parameters.h"

#include <utility>

namespace transformeter {

TrainableParameters trainable_parameters(Checkpoint checkpoint, Task task, std::optional<std::int64_t> num_labels,
                                         std::uint64_t seed, c10::ScalarType type,
                                         const std::vector<std::string>& names) {
  TrainingMatch training = match_for_training(checkpoint, task, num_labels, names);
  TrainableParameters trainable;
  trainable.parameters = mapped_parameters(std::move(checkpoint), training.match, type);
  trainable.parameters.add_seeded(training.added, training.config.initializer_range, seed, type);
  trainable.config = std::move(training.config);
  for (const TensorSpec& tensor : training.added) trainable.added.push_back(tensor.name);
  return trainable;
}

}  // namespace transformeter
