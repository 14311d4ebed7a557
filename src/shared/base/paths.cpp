// /proc/self/exe, and two places to look.
#include "base/paths.h"

#include <cstdlib>
#include <system_error>

#include "base/error.h"

namespace transformeter {

std::filesystem::path running_program_directory() {
  std::error_code code;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) throw Error(ErrorKind::kEnvironment, "cannot find this program's folder: " + code.message());
  return program.parent_path();
}

std::filesystem::path bundled_data_directory(const std::filesystem::path& program_directory) {
  const std::filesystem::path installed = program_directory / "../share/transformeter";
  const std::filesystem::path source = program_directory / "../../share";
  std::error_code code;
  const bool is_build_folder = !std::filesystem::exists(installed, code) && std::filesystem::exists(source, code);
  return (is_build_folder ? source : installed).lexically_normal();
}

std::filesystem::path user_cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  const std::filesystem::path cache = variable("XDG_CACHE_HOME");
  // The specification has relative paths ignored.
  if (cache.is_absolute()) return cache / "transformeter";
  const std::filesystem::path home = variable("HOME");
  return home.empty() ? home : home / ".cache" / "transformeter";
}

}  // namespace transformeter
