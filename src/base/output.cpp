// POSIX calls, as in files.cpp, because errors need their reason.
#include "base/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".partial-{}", ::getpid())) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) {
  size_bytes_ += text.size();
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) write_out();
}

void AtomicFile::flush() {
  write_out();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail();
}

void AtomicFile::commit() {
  flush();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
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
