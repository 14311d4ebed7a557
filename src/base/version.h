// Which build of the program this is.
#pragma once

#include <string_view>

namespace transformeter {

/// "0.1.0", as the build declares it.
std::string_view program_version();
/// The commit the build was configured at, 12 hexadecimal digits, with "-dirty" when the sources differed from it;
/// empty when unknown.
std::string_view git_commit();

}  // namespace transformeter
