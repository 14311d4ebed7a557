// Data sets whose splits lie in one JSON file, as CLINC150's: {"train": [["text", "class"], …], "val": […], …}.
#pragma once

#include <string>
#include <string_view>

#include "datasets/dataset.h"

namespace transformeter {

/// Whether the text begins as an object whose first value is a list of lists, or an empty list.
bool looks_like_splits(std::string_view text);

/// Reads the split `options.split`, which may be left out where the file has one alone. Classes are numbered over the
/// whole file, by `options.labels` or their sorted names, so that all splits agree. Throws Error(kBadInput) with the
/// place inside the JSON for another shape and an empty text or class, and naming the splits for one that is unknown,
/// empty or not chosen.
DataSet read_splits(const std::string& where, std::string_view text, const DataOptions& options);

}  // namespace transformeter
