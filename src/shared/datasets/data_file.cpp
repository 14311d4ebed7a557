// Unpacking by zlib; everything else is a check.
#include "datasets/data_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestUnpacked = std::size_t{4} << 30;

std::string unpack(const std::string& where) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(where.c_str(), "rb"), gzclose);
  if (!file) throw Error(ErrorKind::kBadInput, where + ": cannot be opened");
  std::string bytes;
  std::string block(1 << 16, '\0');
  for (;;) {
    const int count = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    if (count > 0) bytes.append(block, 0, static_cast<std::size_t>(count));
    if (bytes.size() > kLargestUnpacked) throw Error(ErrorKind::kBadInput, where + ": decompresses to more than 4 GiB");
    if (count == static_cast<int>(block.size())) continue;
    int code = Z_OK;
    const std::string_view message = gzerror(file.get(), &code);
    if (code != Z_OK) throw Error(ErrorKind::kBadInput, fmt::format("{}: cannot decompress: {}", where, message));
    return bytes;
  }
}

void check_utf8(const std::string& where, std::string_view bytes) {
  const auto offset = first_invalid_utf8(bytes);
  if (!offset) return;
  const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*offset), '\n');
  throw Error(ErrorKind::kBadInput, fmt::format("{}:{}: not valid UTF-8 at byte {} of the file", where, line, *offset));
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

DataFile::DataFile(const fs::path& path) : where_(path.string()) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  const bool is_packed = lower_case(absolute.extension().string()) == ".gz";
  const fs::path unpacked = is_packed ? absolute.stem() : absolute.filename();
  name_ = (absolute.parent_path().filename() / unpacked.stem()).generic_string();
  extension_ = lower_case(unpacked.extension().string());
  bytes_ = read_file(path);
  sha256_ = sha256_hex(bytes_);
  if (is_packed) bytes_ = unpack(where_);
  if (bytes_.empty()) throw Error(ErrorKind::kBadInput, where_ + ": the file is empty");
  check_utf8(where_, bytes_);
  text_begin_ = bytes_.size() - without_byte_order_mark(bytes_).size();
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view next_line(std::string_view text, std::size_t& position) {
  const std::size_t end = std::min(text.find('\n', position), text.size());
  std::string_view line = text.substr(position, end - position);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  position = end + 1;
  return line;
}

}  // namespace transformeter
