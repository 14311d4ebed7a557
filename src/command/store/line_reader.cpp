// Reads blocks and hands out views of them.
#include "store/line_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

int open_for_reading(const std::filesystem::path& file) {
  if (file == "-") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

LineReader::LineReader(std::filesystem::path file) : file_(std::move(file)), descriptor_(open_for_reading(file_)) {
  if (descriptor_ < 0) fail();
}

LineReader::~LineReader() {
  ::close(descriptor_);
}

std::optional<std::string_view> LineReader::next(std::size_t most_bytes) {
  line_ = rest_;
  std::size_t searched = line_;
  ++number_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      rest_ = end + 1;
      return std::string_view(buffer_).substr(line_, end - line_);
    }
    if (buffer_.size() - line_ > most_bytes) {
      throw Error(ErrorKind::kBadInput, fmt::format("a line exceeds {} bytes; this is not an export", most_bytes));
    }
    buffer_.erase(0, std::exchange(line_, 0));
    rest_ = 0;
    searched = buffer_.size();
    if (fill()) continue;
    if (buffer_.empty()) return std::nullopt;
    throw Error(ErrorKind::kBadInput, "the file is truncated: its last line is incomplete");
  }
}

void LineReader::put_back() {
  rest_ = line_;
  --number_;
}

bool LineReader::fill() {
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBlockBytes);
  const ssize_t count = ::read(descriptor_, buffer_.data() + size, kBlockBytes);
  if (count < 0) fail();
  buffer_.resize(size + static_cast<std::size_t>(count));
  return count > 0;
}

void LineReader::fail() const {
  if (errno == EINTR) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': {}", file_.string(), std::strerror(errno)));
}

}  // namespace transformeter
