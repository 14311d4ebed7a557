// The bytes of a data file as every reader wants them: whole, unpacked, UTF-8, without a byte order mark.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace transformeter {

class DataFile {
 public:
  /// Reads `path`; a name that ends in ".gz" is unpacked. Throws Error(kBadInput) naming the file, and the line where
  /// there is one, when it cannot be read or unpacked, is empty, is not UTF-8 or unpacks to more than 4 GiB.
  explicit DataFile(const std::filesystem::path& path);

  /// As given, for errors.
  const std::string& where() const { return where_; }
  std::string_view text() const { return std::string_view(bytes_).substr(text_begin_); }
  /// Folder and file without endings, as "sst2/dev".
  const std::string& name() const { return name_; }
  /// The ending in front of ".gz", in small letters, as ".tsv"; empty without one.
  const std::string& extension() const { return extension_; }
  /// Of the file as it lies on the disk.
  const std::string& sha256() const { return sha256_; }

 private:
  std::string where_;
  std::string name_;
  std::string extension_;
  std::string sha256_;
  std::string bytes_;
  std::size_t text_begin_ = 0;
};

/// Windows programs begin UTF-8 files with one.
std::string_view without_byte_order_mark(std::string_view text);

/// The next line of `text` from `position` on, which moves behind it; ends with LF or CRLF, neither is returned.
std::string_view next_line(std::string_view text, std::size_t& position);

}  // namespace transformeter
