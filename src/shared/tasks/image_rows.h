// Rows of images that a model learns from, with classes or captions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "datasets/dataset.h"
#include "tasks/fine_tuning_sets.h"
#include "tasks/training_rows.h"
#include "tokenizers/tokenizer.h"

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

/// What load_image_data reads of images with captions. Throws Error(kBadInput) naming `path` for data without them.
DataSet load_captions(const std::string& path, const DataOptions& data);

/// As image_class_rows, with the tokens of a caption, cut to max_length. Borrows the tokenizer. Throws Error(kBadInput)
/// for a max_length without room for the special tokens.
LabelledRows caption_rows(DataSet data, const ImageReading& images, const Tokenizer& tokenizer,
                          const TrainingRowsOptions& options);

/// As synthetic_image_rows, with captions of random tokens, each max_length long. Throws as synthetic_encodings.
std::unique_ptr<TrainingRows> synthetic_caption_rows(std::size_t count, const ModelConfig& config,
                                                     const Tokenizer& tokenizer, const TrainingRowsOptions& options);

}  // namespace transformeter
