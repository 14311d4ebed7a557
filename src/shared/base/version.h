// Which build of the program this is. Nothing here depends on when it was built, so that equal sources give equal
// programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// "0.1.0", as the build declares it.
std::string_view program_version();
/// The commit the build was configured at, 12 hexadecimal digits, with "-dirty" when the sources differed from it;
/// empty when unknown.
std::string_view git_commit();
/// "GNU 12.2.0".
std::string_view built_by();
/// CMake's build type, "Release"; " with sanitizers" where they are on.
std::string_view build_type();

struct LibraryVersion {
  std::string name;
  std::string version;  // of the headers; "unknown" where the library does not say
};
/// The libraries without LibTorch, by name.
std::vector<LibraryVersion> built_with();

/// What --version prints: a first line "PROGRAM 0.1.0 (COMMIT)", then compiler and libraries; ends with a line break.
std::string version_text(std::string_view program);

}  // namespace transformeter
