// The file has a byte in it: a full disk still has room for a name.
#include "base/writable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace transformeter {

std::optional<std::string> why_not_writable(const std::filesystem::path& folder) {
  std::string name = (folder / ".transformeter-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  std::optional<std::string> why;
  if (::write(file, "x", 1) != 1) why = std::strerror(errno);
  ::close(file);
  ::unlink(name.c_str());
  return why;
}

}  // namespace transformeter
