// /proc/self/exe, and two places to look.
#include "base/paths.h"

#include <system_error>

#include "base/error.h"

namespace transformeter {

std::filesystem::path running_program_directory() {
  std::error_code code;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) throw Error(ErrorKind::kEnvironment, "cannot find this program's own folder: " + code.message());
  return program.parent_path();
}

std::filesystem::path bundled_data_directory(const std::filesystem::path& program_directory) {
  const std::filesystem::path installed = program_directory / "../share/transformeter";
  const std::filesystem::path source = program_directory / "../../share";
  std::error_code code;
  const bool is_build_folder = !std::filesystem::exists(installed, code) && std::filesystem::exists(source, code);
  return (is_build_folder ? source : installed).lexically_normal();
}

}  // namespace transformeter
