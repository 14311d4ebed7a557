// Rows of images that a model learns from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "datasets/dataset.h"
#include "tasks/fine_tuning_sets.h"
#include "tasks/training_rows.h"

namespace transformeter {

/// What load_image_data reads. Classes keep the order of a trained model that has the same ones; null: of none.
DataSet load_image_classes(const std::string& path, const DataOptions& data, const ModelConfig* trained);

/// Images are decoded and processed as each is asked for. Throws Error(kBadInput) naming `where` for images without
/// labels.
LabelledRows image_class_rows(DataSet data, const std::string& where, const ImageReading& images,
                              const TrainingRowsOptions& options);

/// Drawn images with random labels. Images are drawn once, since drawing them would slow the loader; after 64 MiB the
/// first ones come again, with other labels.
std::unique_ptr<TrainingRows> synthetic_image_rows(std::size_t count, std::int64_t classes, const ModelConfig& config,
                                                   const TrainingRowsOptions& options);

}  // namespace transformeter
