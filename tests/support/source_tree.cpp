// The only file that is compiled with the two paths.
#include "support/source_tree.h"

namespace transformeter {

std::filesystem::path source_directory() {
  return TRANSFORMETER_SOURCE_DIR;
}

std::filesystem::path binary_directory() {
  return TRANSFORMETER_BINARY_DIR;
}

}  // namespace transformeter
