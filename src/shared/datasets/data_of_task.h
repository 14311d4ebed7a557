// A data set as a task reads it: texts, images or sounds.
#pragma once

#include <filesystem>

#include "datasets/dataset.h"

namespace transformeter {

/// load_image_data, load_sound_data or load_dataset. Throws as these.
DataSet load_data_of_task(const std::filesystem::path& path, Task task, const DataOptions& options = {});

}  // namespace transformeter
