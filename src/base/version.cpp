// The values come from cmake/Version.cmake as definitions of this file alone.
#include "base/version.h"

namespace transformeter {

std::string_view program_version() {
  return TRANSFORMETER_VERSION;
}

std::string_view git_commit() {
  return TRANSFORMETER_GIT_COMMIT;
}

}  // namespace transformeter
