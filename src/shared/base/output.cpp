// POSIX calls, as in files.cpp, because errors need their reason.
#include "base/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

bool lies_in_proc(const std::filesystem::path& path) {
  return path.string().starts_with("/proc/");
}

// What a chain of links leads to, which need not exist; a link in /proc is no path to follow ("pipe:[123]").
std::filesystem::path follow_links(const std::filesystem::path& path) {
  constexpr int kMaxLinks = 40;  // as Linux itself follows
  std::filesystem::path target = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code unknown;
    const std::filesystem::path folder =
        std::filesystem::canonical(std::filesystem::absolute(target).parent_path(), unknown);
    if (unknown) return target;
    std::filesystem::path real = folder / target.filename();
    if (lies_in_proc(real) || !std::filesystem::is_symlink(real, unknown)) return real;
    target = folder / std::filesystem::read_symlink(real, unknown);
  }
  return target;
}

bool must_write_in_place(const std::filesystem::path& target) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(target, unknown);
  return std::filesystem::exists(status) && (!std::filesystem::is_regular_file(status) || lies_in_proc(target));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(follow_links(path_)) {
  if (must_write_in_place(target_)) {
    open_in_place();
  } else {
    open_temporary();
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_in_place() {
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0 && errno == EINTR) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  if (descriptor_ < 0) fail();
}

void AtomicFile::open_temporary() {
  constexpr mode_t kPermissions = 0777;
  struct stat old {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  const mode_t mode = replaces ? old.st_mode & kPermissions : 0644;
  temporary_ = target_.string() + fmt::format(".partial-{}", ::getpid());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor_ < 0) fail();
  if (replaces) ::fchmod(descriptor_, mode);  // what the umask took away; a file system may know no modes
}

void AtomicFile::write(std::string_view text) {
  size_bytes_ += text.size();
  is_flushed_ = false;
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) write_out();
}

void AtomicFile::flush() {
  write_out();
  if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail();
  is_flushed_ = true;
}

void AtomicFile::commit() {
  if (!is_flushed_) flush();
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  ::close(std::exchange(descriptor_, -1));
}

void AtomicFile::write_out() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void AtomicFile::fail() const {
  throw Error(ErrorKind::kEnvironment, fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
}

}  // namespace transformeter
