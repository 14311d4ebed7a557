// SQLite keeps its further files beside the file that a link to the store leads to.
#include "cli/output_path.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/error.h"
#include "base/writable.h"

namespace transformeter {
namespace {

// Made absolute first: of a relative name that does not exist, the library makes nothing more. Empty: cannot be told.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path absolute = std::filesystem::absolute(path, unknown);
  if (unknown) return {};
  std::filesystem::path real = std::filesystem::weakly_canonical(absolute, unknown);
  return unknown ? std::filesystem::path() : real;
}

}  // namespace

void check_output_place(std::string_view option, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::is_directory(path, code)) throw refused_value(option, path.string(), "it is a folder", "Name a file.");
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
    throw refused_value(option, path.string(), "it is not a regular file", "Name a file.");
  }
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder, code)) {
    throw refused_value(option, path.string(), fmt::format("there is no folder '{}'", folder.string()),
                        "Create it first.");
  }
  if (const auto reason = why_not_writable(folder)) {
    throw Error(ErrorKind::kEnvironment, fmt::format("{} '{}' cannot be written: {}", option, path.string(), *reason));
  }
}

void check_is_not_store(const std::filesystem::path& output, const std::filesystem::path& store) {
  check_is_not_store("output", output, store);
}

void check_is_not_store(std::string_view option, const std::filesystem::path& output,
                        const std::filesystem::path& store) {
  const std::filesystem::path real_output = real_path(output);
  const std::filesystem::path real_store = real_path(store);
  if (real_output.empty() || real_store.empty()) return;  // no names of files; whoever opens them says so
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    const std::filesystem::path file = real_store.string() + ending;
    std::error_code missing;
    if (real_output != file && !std::filesystem::equivalent(output, file, missing)) continue;
    throw refused_value(option, output.string(), fmt::format("it is part of the store '{}'", store.string()),
                        "Choose another file.");
  }
}

void check_is_not_output(std::string_view option, const std::filesystem::path& file,
                         const std::filesystem::path& output) {
  if (output.empty() || real_path(file).empty() || real_path(file) != real_path(output)) return;
  throw refused_value(option, file.string(), "it is the file of -o too", "Choose another file.");
}

PlotFormat format_of_plot(std::string_view option, const std::filesystem::path& path) {
  if (const auto format = plot_format_of(path.string())) return *format;
  throw bad_value(option, path.string(), "a file name that ends in .svg, .png or .pdf",
                  "The ending chooses the format.");
}

}  // namespace transformeter
