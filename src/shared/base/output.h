// Where text goes piece by piece: a sink, and a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace transformeter {

/// Takes the next piece of a text, or throws Error(kEnvironment).
using Sink = std::function<void(std::string_view)>;

/// Written under a temporary name beside `path`; readers see the old file until commit, and keep it when there is no
/// commit. Links are followed: what `path` leads to is replaced, and its mode kept. What cannot be replaced is written
/// in place instead: a device, a pipe, and what is reached through /proc, as /dev/fd/3. Throws Error(kEnvironment)
/// naming `path`, and Error(kInterrupted) when a signal ends the waiting for a pipe's reader.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// Brings what was written to the disk, so that commit can hardly fail: for files that must appear together.
  void flush();
  /// Flushes what is not flushed yet, and renames. Nothing may be written afterwards.
  void commit();
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  void open_in_place();
  void open_temporary();
  void write_out();
  [[noreturn]] void fail() const;

  std::filesystem::path path_;       // as it was given
  std::filesystem::path target_;     // what it leads to
  std::filesystem::path temporary_;  // empty: written in place
  int descriptor_ = -1;
  bool is_flushed_ = true;
  std::string buffer_;
  std::size_t size_bytes_ = 0;
};

}  // namespace transformeter
