// mkdtemp.
#include "base/temporary_directory.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.h"

namespace transformeter {

TemporaryDirectory::TemporaryDirectory() {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  std::string name = ((code ? std::filesystem::path("/tmp") : folder) / "transformeter-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(
        ErrorKind::kEnvironment,
        fmt::format("cannot create a folder '{}': {}; set TMPDIR to use another location", name, std::strerror(errno)));
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace transformeter
