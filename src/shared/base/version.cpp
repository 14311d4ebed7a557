// The values come from cmake/Version.cmake as definitions of this file alone.
#include "base/version.h"

#include <fmt/format.h>

#include "base/text.h"

namespace transformeter {

std::string_view program_version() {
  return TRANSFORMETER_VERSION;
}

std::string_view git_commit() {
  return TRANSFORMETER_GIT_COMMIT;
}

std::string_view built_by() {
  return TRANSFORMETER_COMPILER;
}

std::string_view build_type() {
  return TRANSFORMETER_BUILD_TYPE;
}

std::vector<LibraryVersion> built_with() {
  std::vector<LibraryVersion> libraries;
  for (const std::string& entry : split(TRANSFORMETER_LIBRARIES, ',')) {
    const std::size_t blank = entry.find(' ');
    const std::string version = blank == std::string::npos ? "" : entry.substr(blank + 1);
    libraries.push_back({entry.substr(0, blank), version.empty() ? "unknown" : version});
  }
  return libraries;
}

std::string version_text(std::string_view program) {
  const std::string_view commit = git_commit();
  std::string text = fmt::format("{} {}{}\nbuilt by {}, {}\n", program, program_version(),
                                 commit.empty() ? "" : fmt::format(" ({})", commit), built_by(), build_type());
  std::vector<std::string> libraries;
  for (const LibraryVersion& library : built_with()) libraries.push_back(library.name + " " + library.version);
  return text + fmt::format("with {}\n", fmt::join(libraries, ", "));
}

}  // namespace transformeter
