// A store's runs as three CSV files (docs/results.md): metrics, samples and environment.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/export_lines.h"
#include "store/store.h"

namespace transformeter {

/// The names of the files, in the folder.
inline constexpr std::array kCsvFiles{"cases.csv", "samples.csv", "environment.csv"};

/// Writes cases.csv, samples.csv and environment.csv into `folder`, which is made where it is missing; files of those
/// names are replaced once all three are complete. Selectors, order and errors as export_jsonl; Error(kEnvironment)
/// when a file cannot be written. `before_case` is called before each case, and may throw to stop.
ExportCount export_csv(Store& store, const std::vector<std::string>& selectors, const std::filesystem::path& folder,
                       const std::function<void()>& before_case);

}  // namespace transformeter
