#include "datasets/data_of_task.h"

#include "datasets/image_data.h"
#include "datasets/sound_data.h"

namespace transformeter {

DataSet load_data_of_task(const std::filesystem::path& path, Task task, const DataOptions& options) {
  switch (modality_of(task)) {
    case Modality::kImage:
      return load_image_data(path, options, task);
    case Modality::kAudio:
      return load_sound_data(path, task, options);
    case Modality::kText:
      break;
  }
  return load_dataset(path, options);
}

}  // namespace transformeter
