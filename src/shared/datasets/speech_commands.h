// The splits of Speech Commands (Warden 2018, arXiv:1804.03209): a folder of classes with lists of the files that are
// for validation and testing, as torchaudio's SPEECHCOMMANDS reads it.
#pragma once

#include <filesystem>
#include <string>

#include "datasets/dataset.h"

namespace transformeter {

/// Whether validation_list.txt and testing_list.txt lie in the folder.
bool has_split_lists(const std::filesystem::path& root);

/// Keeps the examples of one split of the folder's: `validation` or `test`, whose files a list names as CLASS/NAME, or
/// `train`, all others. Throws Error(kBadInput) for another split, a list that cannot be read, a listed file that is
/// not there, and a split without files.
void keep_split(DataSet& data, const std::filesystem::path& root, const std::string& split);

}  // namespace transformeter
