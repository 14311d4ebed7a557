// The mark is read from the file, since opening a library of another LibTorch fails in words that help nobody.
#include "device/plugin_loader.h"

#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace transformeter {

namespace fs = std::filesystem;

fs::path plugin_path(const PluginKind& kind) {
  return library_beside_program(kind.library, kind.environment);
}

std::optional<std::string> plugin_libtorch(const fs::path& library) {
  std::ifstream file(library, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string mark = TRANSFORMETER_PLUGIN_MARK;
  const std::size_t begin = bytes.find(mark);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = bytes.find('\0', begin);
  return bytes.substr(begin + mark.size(), end - begin - mark.size());
}

std::optional<std::string> why_no_plugin(const PluginKind& kind, const fs::path& library) {
  std::error_code code;
  if (!fs::is_regular_file(library, code)) return fmt::format("no {}: {} does not exist", kind.name, library.string());
  const auto built_for = plugin_libtorch(library);
  if (built_for.value_or("") == TORCH_VERSION) return std::nullopt;
  return fmt::format("the {} {} was built for LibTorch {}, this worker for {}; rebuild both", kind.name,
                     library.string(), built_for.value_or("(unknown version)"), TORCH_VERSION);
}

std::optional<LoadedLibrary> open_plugin_library(const PluginKind& kind, const fs::path& library,
                                                 std::string& why_not) {
  if (auto reason = why_no_plugin(kind, library)) {
    why_not = std::move(*reason);
    return std::nullopt;
  }
  auto opened = LoadedLibrary::open(library.string(), why_not);
  if (!opened) why_not = fmt::format("cannot load the {}: {}; {}", kind.name, why_not, kind.hint);
  return opened;
}

}  // namespace transformeter
