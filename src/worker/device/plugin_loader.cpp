// The mark is read from the file, since opening a library of another LibTorch fails in words that help nobody.
#include "device/plugin_loader.h"

#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "machine/loaded_library.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtransformeter_cuda.so";

}  // namespace

fs::path cuda_plugin_path() {
  if (const char* named = std::getenv("TRANSFORMETER_CUDA_PLUGIN"); named != nullptr && *named != '\0') return named;
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  return program.parent_path() / kLibrary;
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

DevicePlugin* open_plugin(const fs::path& library, std::string& why_not) {
  std::error_code code;
  if (!fs::is_regular_file(library, code)) {
    why_not = fmt::format("no CUDA plug-in: {} does not exist", library.string());
    return nullptr;
  }
  const auto built_for = plugin_libtorch(library);
  if (built_for.value_or("") != TORCH_VERSION) {
    why_not = fmt::format("the plug-in {} was built for LibTorch {}, this worker for {}; rebuild both",
                          library.string(), built_for.value_or("(unknown version)"), TORCH_VERSION);
    return nullptr;
  }
  auto opened = LoadedLibrary::open(library.string(), why_not);
  if (!opened) {
    why_not =
        fmt::format("cannot load the CUDA plug-in: {}; scripts/setup --cuda installs the CUDA libraries", why_not);
    return nullptr;
  }
  const auto entry = opened->function<PluginEntry>(kPluginEntry);
  opened->keep_open();
  if (entry == nullptr) {
    why_not = fmt::format("the plug-in {} has no {}", library.string(), kPluginEntry);
    return nullptr;
  }
  return entry();
}

}  // namespace transformeter
