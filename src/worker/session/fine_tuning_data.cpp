// What holds for all tasks; each divides its own data.
#include "session/fine_tuning_data.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tasks/image_inputs.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

// One that cannot be read would end the training where it is met, hours later.
void check_images(const FineTuningSets& sets, const ImageReading& images, const std::function<void()>& alive) {
  constexpr std::int64_t kBlock = 32;
  const auto read_all = [&](std::size_t count, const std::function<void(std::size_t image)>& read) {
    const auto end = static_cast<std::int64_t>(count);
    for (std::int64_t begin = 0; begin < end; begin += kBlock) {
      at::parallel_for(begin, std::min(begin + kBlock, end), 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t image = first; image < last; ++image) read(static_cast<std::size_t>(image));
      });
      alive();
    }
  };
  read_all(sets.rows.rows->size(), [&](std::size_t image) { sets.rows.rows->rows(image, 0); });
  read_all(sets.scored_images.size(), [&](std::size_t image) {
    std::vector<float> values(static_cast<std::size_t>(images.config.image->values()));
    read_pixels(sets.scored_images[image], images.processor, values);
  });
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
  FineTuningSets sets = task_type(training.request.task)
                            .divide({path, data_options(training.request), training.tokenizer.get(),
                                     images ? &*images : nullptr, rows_options, options});
  if (images) check_images(sets, *images, alive);
  FineTuningData data{std::move(sets.rows), nullptr};
  if (sets.scored_inputs) {
    data.validation = images ? make_image_validation(std::move(sets.scored_inputs), std::move(sets.scored_images))
                             : make_validation(training, std::move(sets.scored_inputs));
  }
  if (sets.scored_rows) data.validation = make_token_validation(std::move(*sets.scored_rows));
  return data;
}

}  // namespace transformeter
