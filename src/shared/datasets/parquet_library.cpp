// The library stays once it is opened, since Arrow's state lives as long as the process.
#include "datasets/parquet_library.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <system_error>

#include "base/text.h"
#include "machine/loaded_library.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

OpenParquet* open_library(const fs::path& file) {
  const fs::path library = library_beside_program("libtransformeter_parquet.so", "TRANSFORMETER_PARQUET_PLUGIN");
  std::error_code code;
  std::string why_not = library.string() + " does not exist";
  if (fs::is_regular_file(library, code)) {
    if (auto opened = LoadedLibrary::open(library.string(), why_not)) {
      auto* const open = opened->function<OpenParquet>(kOpenParquet);
      opened->keep_open();
      if (open != nullptr) return open;
      why_not = library.string() + " was built for another version; rebuild it";
    }
  }
  throw Error(ErrorKind::kEnvironment,
              fmt::format("{}: reading Parquet needs Apache Arrow's library (Python package pyarrow): {}. Run "
                          "`scripts/setup --data` and `make programs`, or give the data as CSV or JSON Lines.",
                          file.string(), why_not));
}

}  // namespace

std::unique_ptr<ParquetFile> open_parquet(const fs::path& file) {
  std::string why_not;
  std::unique_ptr<ParquetFile> opened(open_library(file)(file.c_str(), why_not));
  if (opened == nullptr) throw unreadable_parquet(file, why_not);
  std::set<std::string> names;
  for (const ParquetColumn& column : opened->columns()) {
    if (names.insert(column.name).second) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: two columns have the name '{}'", file.string(), excerpt(column.name)));
  }
  return opened;
}

Error unreadable_parquet(const fs::path& file, std::string_view why_not) {
  while (why_not.ends_with('.') || why_not.ends_with(' ')) why_not.remove_suffix(1);
  return {ErrorKind::kBadInput, fmt::format("{}: cannot be read as Parquet: {}. Is the file damaged, incomplete or of "
                                            "another format?",
                                            file.string(), excerpt(why_not, 200))};
}

}  // namespace transformeter
