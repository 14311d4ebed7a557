// A file, a pipe or the standard input, line by line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace transformeter {

/// Holds the file open and no more of it in memory than the longest line needs. Not thread-safe.
class LineReader {
 public:
  /// "-" is the standard input. Throws Error(kBadInput) naming the file when it cannot be opened.
  explicit LineReader(std::filesystem::path file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its line break, valid until the next call; nothing at the end of the file. Throws
  /// Error(kBadInput) when it is longer than `most_bytes` or has no line break, and Error(kInterrupted) when a signal
  /// ends the waiting for more.
  std::optional<std::string_view> next(std::size_t most_bytes);
  /// The line that `next` returned last comes again.
  void put_back();
  /// Whether the file begins with `head`, as far as it is read; of use until the first line is left behind.
  bool begins_with(std::string_view head) const { return std::string_view(buffer_).starts_with(head); }
  /// Of the line last asked for, from 1.
  std::size_t number() const { return number_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  bool fill();
  [[noreturn]] void fail() const;

  std::filesystem::path file_;
  int descriptor_;
  std::string buffer_;
  std::size_t line_ = 0;  // where the last line begins
  std::size_t rest_ = 0;  // where the next one does
  std::size_t number_ = 0;
};

}  // namespace transformeter
