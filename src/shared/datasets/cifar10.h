// CIFAR-10 as its authors publish it for C programs: records of one byte for the class and 3072 for the pixels.
#pragma once

#include <string>
#include <string_view>

#include "datasets/dataset.h"

namespace transformeter {

/// A folder with data_batch_*.bin or test_batch.bin, or one of these files.
bool is_cifar10(const std::filesystem::path& path);

/// The pixels of data_batch_*.bin in order, or of test_batch.bin, by options.split; of a file its own. Classes
/// are named by batches.meta.txt beside them, where it is, else they are the numbers 0 to 9. Throws Error(kBadInput)
/// naming the file for a size that is no multiple of a record, a class beyond 9, a list of other than 10 names, classes
/// that the options list, and a split that is unknown, missing, or not chosen of two.
DataSet read_cifar10(const std::filesystem::path& path, const DataOptions& options);

/// The records of one file; `where` names it in errors.
std::vector<Example> parse_cifar10(std::string_view bytes, const std::string& where);

}  // namespace transformeter
