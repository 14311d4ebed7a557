// A table of image files and their classes.
#pragma once

#include "datasets/image_examples.h"

namespace transformeter {

/// Comma-, semicolon- or tab-separated with a header: the column `path`, relative to the table's folder or absolute,
/// and `label`, a name or a number as LabelEncoder has it (classification.h), which may be missing. Further columns are
/// ignored. Throws Error(kBadInput) as "FILE:LINE: …" for a file that does not exist, an empty path or label, a label
/// outside the listed classes, and no rows.
ImageExamples read_image_table(const std::filesystem::path& path, const ImageDataOptions& options);

}  // namespace transformeter
