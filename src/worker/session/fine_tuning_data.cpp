// What holds for all tasks; each divides its own data.
#include "session/fine_tuning_data.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "datasets/media_data.h"
#include "tasks/image_inputs.h"
#include "tasks/sound_inputs.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

void read_file_of(const Training& training, const Example& example) {
  if (training.extractor) {
    read_sound(example, *training.extractor, *training.config.waves);
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(training.config.image->values()));
  read_pixels(example, *training.processor, values);
}

// Makes each row that is learnt, and reads each file that is scored: one that cannot be read would end the training
// where it is met, hours later.
void check_files(const Training& training, const FineTuningSets& sets, const std::function<void()>& alive) {
  constexpr std::int64_t kBlock = 32;
  const auto read_all = [&](std::size_t count, const std::function<void(std::size_t file)>& read_one) {
    const auto end = static_cast<std::int64_t>(count);
    for (std::int64_t begin = 0; begin < end; begin += kBlock) {
      at::parallel_for(begin, std::min(begin + kBlock, end), 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t file = first; file < last; ++file) read_one(static_cast<std::size_t>(file));
      });
      alive();
    }
  };
  read_all(sets.rows.rows->size(), [&](std::size_t file) { sets.rows.rows->rows(file, 0); });
  read_all(sets.scored_files.size(), [&](std::size_t file) { read_file_of(training, sets.scored_files[file]); });
}

std::unique_ptr<Validation> validation_of(const Training& training, FineTuningSets& sets) {
  if (sets.scored_rows && has_captions(training.request.task)) {
    return make_retrieval_validation(std::move(*sets.scored_rows), image_numbers(sets.scored_files));
  }
  if (sets.scored_rows) return make_token_validation(std::move(*sets.scored_rows));
  if (!sets.scored_inputs) return nullptr;
  if (training.processor) return make_image_validation(std::move(sets.scored_inputs), std::move(sets.scored_files));
  if (training.extractor) return make_sound_validation(std::move(sets.scored_inputs), std::move(sets.scored_files));
  return make_validation(training, std::move(sets.scored_inputs));
}

}  // namespace

FineTuningData read_fine_tuning_data(const Training& training, const Context& context, const FineTuneOptions& options,
                                     const std::function<void()>& alive) {
  const std::string path = data_path(training.request, context);
  check_evaluation_data(training.request, path, options);
  const TrainingRowsOptions rows_options = training_rows_options(training);
  check_training_task(rows_options);
  std::optional<ImageReading> images;
  if (training.processor) images.emplace(ImageReading{training.config, *training.processor});
  std::optional<SoundReading> sounds;
  if (training.extractor) {
    sounds.emplace(SoundReading{training.config, *training.extractor,
                                training.ctc_vocabulary ? &*training.ctc_vocabulary : nullptr});
  }
  FineTuningSets sets = task_type(training.request.task)
                            .divide({path, data_options(training.request), training.tokenizer.get(),
                                     images ? &*images : nullptr, sounds ? &*sounds : nullptr, rows_options, options});
  if (training.reads_files()) check_files(training, sets, alive);
  FineTuningData data{std::move(sets.rows), nullptr};
  data.validation = validation_of(training, sets);
  return data;
}

}  // namespace transformeter
