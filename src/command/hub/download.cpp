// The loop of tries around one file. The rest is asked for by Range without If-Range: hosts behind the hub have ETags
// of their own, which would restart a download each time; the hash decides in the end.
#include "hub/download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

class IncompleteFile {
 public:
  explicit IncompleteFile(fs::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail();
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~IncompleteFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  IncompleteFile(const IncompleteFile&) = delete;
  IncompleteFile& operator=(const IncompleteFile&) = delete;

  std::uint64_t size() const { return size_; }
  const fs::path& path() const { return path_; }

  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(count));
      size_ += static_cast<std::uint64_t>(count);
    }
  }
  void clear() {
    if (::ftruncate(descriptor_, 0) != 0) fail();
    size_ = 0;
  }
  /// Its bytes reach the disk before its name says that it is whole.
  void become(const fs::path& name) {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail();
    if (::rename(path_.c_str(), name.c_str()) != 0) fail();
  }
  void remove() { ::unlink(path_.c_str()); }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot write '{}': {}. Fetch again to resume the download.",
                                                     path_.string(), std::strerror(errno)));
  }

  fs::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// "bytes 100-199/200" begins at 100; nothing for what is none.
std::optional<std::uint64_t> first_byte(const HttpResponse& response) {
  const std::string range = response.header("content-range");
  constexpr std::string_view kUnit = "bytes ";
  if (!range.starts_with(kUnit)) return std::nullopt;
  const auto first = parse_integer(range.substr(kUnit.size(), range.find('-') - kUnit.size()));
  if (!first || *first < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*first);
}

class Download {
 public:
  Download(HttpClient& http, const BlobDownload& wanted, const BlobProgress& progress)
      : http_(http), wanted_(wanted), progress_(progress), file_(incomplete_file(wanted.blob)) {}

  HttpResponse run() {
    const bool was_resumed = file_.size() > 0;
    HttpResponse last = complete();
    if (!last.is_success() || file_.size() != wanted_.size) return last;
    std::string found = found_hash();
    if (found != wanted_.hash && was_resumed) {  // what lay there was no part of it
      file_.clear();
      last = complete();
      if (!last.is_success() || file_.size() != wanted_.size) return last;
      found = found_hash();
    }
    if (found != wanted_.hash) {
      file_.remove();
      throw Error(ErrorKind::kBadInput,
                  fmt::format("'{}' is damaged: its hash is {}, expected {}. The file was removed; fetch again. If "
                              "this happens again, the server's copy is wrong.",
                              wanted_.name, found, wanted_.hash));
    }
    file_.become(wanted_.blob);
    return last;
  }

 private:
  // Until the file has its size, or no further try helps.
  HttpResponse complete() {
    HttpResponse last;
    last.status = 200;  // nothing to ask for: all of it is there
    Backoff backoff(http_.settings());
    if (file_.size() > wanted_.size) file_.clear();
    report();
    std::uint64_t most = file_.size();  // a server that starts over each time makes no progress
    while (file_.size() < wanted_.size) {
      last = ask();
      if (file_.size() > most) backoff.reset();
      most = std::max(most, file_.size());
      if (file_.size() >= wanted_.size) {
        last.fault.clear();  // of an end that came after the last byte
        break;
      }
      if (last.is_success()) {
        last.fault = fmt::format("the server closed the connection after {} of {} bytes", file_.size(), wanted_.size);
        last.may_pass = true;
      }
      if (last.status == 416) file_.clear();  // the server has no such range
      if (!(is_transient(last) || last.status == 416) || !backoff.wait(last)) break;
    }
    return last;
  }

  HttpResponse ask() {
    HttpRequest request = wanted_.request;
    if (file_.size() > 0) request.headers.emplace_back("Range", fmt::format("bytes={}-", file_.size()));
    bool is_first = true;
    return http_.once(request, [&](const HttpResponse& head, std::string_view bytes) {
      if (is_first) begin(head);
      is_first = false;
      if (file_.size() + bytes.size() > wanted_.size) {
        file_.remove();
        throw Error(ErrorKind::kBadInput, fmt::format("the server sent more than the expected {1} bytes of '{0}'",
                                                      wanted_.name, wanted_.size));
      }
      file_.append(bytes);
      report();
    });
  }

  // A server that does not know ranges sends the whole file.
  void begin(const HttpResponse& head) {
    constexpr int kPartialContent = 206;
    if (head.status != kPartialContent) {
      if (file_.size() > 0) file_.clear();
    } else if (first_byte(head) != file_.size()) {
      file_.clear();
      throw Error(ErrorKind::kEnvironment,
                  fmt::format("the server sent a different part of '{}' than requested ({}); fetch again", wanted_.name,
                              excerpt(head.header("content-range"))));
    }
  }

  std::string found_hash() const { return content_hash(wanted_.hash.size(), file_.path(), http_.settings().interrupt); }
  void report() const {
    if (progress_) progress_(file_.size());
  }

  HttpClient& http_;
  const BlobDownload& wanted_;
  const BlobProgress& progress_;
  IncompleteFile file_;
};

}  // namespace

fs::path incomplete_file(const fs::path& blob) {
  return blob.string() + ".incomplete";
}

std::string content_hash(std::size_t digits, const fs::path& file, const std::atomic<bool>* interrupt) {
  constexpr std::size_t kBlock = 4 << 20;
  const MappedFile content(file);
  const bool is_git = digits == kGitDigits;
  StreamHash stream(is_git ? StreamHash::Kind::kSha1 : StreamHash::Kind::kSha256);
  if (is_git) {
    stream.update(fmt::format("blob {}", content.bytes().size()));
    stream.update(std::string_view("\0", 1));
  }
  for (std::size_t begin = 0; begin < content.bytes().size(); begin += kBlock) {
    if (interrupt != nullptr && interrupt->load()) throw Error(ErrorKind::kInterrupted, "stopped by the user");
    stream.update(content.bytes().substr(begin, kBlock));
  }
  return stream.hex();
}

HttpResponse download_blob(HttpClient& http, const BlobDownload& download, const BlobProgress& progress) {
  return Download(http, download, progress).run();
}

}  // namespace transformeter
