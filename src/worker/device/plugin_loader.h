// Opens a plug-in library, or says why not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "device/plugin.h"
#include "machine/loaded_library.h"

namespace transformeter {

/// Which library a plug-in is, and how to speak of it.
struct PluginKind {
  const char* name = "";         // "CUDA plug-in"
  const char* library = "";      // beside this program
  const char* environment = "";  // the variable that names another
  const char* entry = "";        // its one function
  const char* hint = "";         // where a library that it needs is missing
};

/// That of GPUs.
inline constexpr PluginKind kCudaPlugin{"CUDA plug-in", "libtransformeter_cuda.so", "TRANSFORMETER_CUDA_PLUGIN",
                                        kPluginEntry, "scripts/setup --cuda installs the CUDA libraries"};

/// What the kind's variable names, else its library beside this program.
std::filesystem::path plugin_path(const PluginKind& kind);

/// LibTorch's version in a plug-in library's mark; nothing where there is no mark, or the file cannot be
/// read.
std::optional<std::string> plugin_libtorch(const std::filesystem::path& library);

/// Why the library is no plug-in for this worker, by its mark; nothing: it is one. None of its code runs.
std::optional<std::string> why_no_plugin(const PluginKind& kind, const std::filesystem::path& library);

/// The plug-in's library; nothing where it is none for this worker or does not load, and why.
std::optional<LoadedLibrary> open_plugin_library(const PluginKind& kind, const std::filesystem::path& library,
                                                 std::string& why_not);

/// What the library's function returns, which has the type `Entry` and never returns null. Null where there is no such
/// plug-in, and why. The library stays open for the rest of the process.
template <typename Entry>
auto open_plugin(const PluginKind& kind, const std::filesystem::path& library, std::string& why_not)
    -> decltype((*static_cast<Entry*>(nullptr))()) {
  auto opened = open_plugin_library(kind, library, why_not);
  if (!opened) return nullptr;
  auto* const entry = opened->template function<Entry>(kind.entry);
  opened->keep_open();
  if (entry == nullptr) {
    why_not = std::string("the ") + kind.name + " " + library.string() + " is of another version (it has no " +
              kind.entry + "); rebuild both";
    return nullptr;
  }
  return entry();
}

}  // namespace transformeter
