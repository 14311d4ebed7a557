// Files by POSIX calls, because errors need their reason and results must never be half written.
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/output.h"

namespace transformeter {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Error cannot(ErrorKind kind, std::string_view verb, const std::filesystem::path& path) {
  return Error(kind, fmt::format("cannot {} '{}': {}", verb, path.string(), std::strerror(errno)));
}

// Stops beyond `largest` bytes; false, with errno, where reading fails.
bool read_all(int fd, std::string& content, std::size_t largest) {
  char buffer[65536];
  while (content.size() <= largest) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) return true;
    if (count < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.append(buffer, static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t largest) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  if (file.fd() < 0 || !read_all(file.fd(), content, largest)) throw cannot(ErrorKind::kBadInput, "read", path);
  if (content.size() <= largest) return content;
  throw Error(ErrorKind::kBadInput,
              fmt::format("cannot read '{}': it has more than the allowed {} bytes", path.string(), largest));
}

std::string read_file_or_empty(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  if (file.fd() < 0 || !read_all(file.fd(), content, kLargestFile)) return {};
  return content;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0) throw cannot(ErrorKind::kBadInput, "read", path);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': not a regular file", path.string()));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (address == MAP_FAILED) throw cannot(ErrorKind::kBadInput, "map", path);
  data_ = static_cast<const char*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace transformeter
