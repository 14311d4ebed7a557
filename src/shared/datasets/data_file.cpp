// Unpacking is zlib's and Arrow's; everything else is a choice or a check.
#include "datasets/data_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "datasets/data_layout.h"
#include "datasets/parquet_text.h"

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

bool is_packed(const fs::path& file) {
  return lower_case(file.extension().string()) == ".gz";
}

fs::path unpacked_name(const fs::path& file) {
  return is_packed(file) ? file.stem() : file.filename();
}

// Folder and file without endings.
std::string name_of_file(const fs::path& path) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  return (absolute.parent_path().filename() / unpacked_name(absolute).stem()).generic_string();
}

struct FoundFiles {
  std::vector<fs::path> files;
  std::string split;
  bool has_splits = false;
};

FoundFiles files_of(const fs::path& path, const std::string& split) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return {{path}, "", false};
  DataParts parts = choose_data_files(path.string(), files_below(path), split);
  FoundFiles found{{}, std::move(parts.split), true};
  for (const std::string& file : parts.files) found.files.push_back(path / file);
  return found;
}

std::string joined(const std::vector<std::string>& hashes) {
  return hashes.size() == 1 ? hashes.front() : sha256_hex(fmt::format("{}\n", fmt::join(hashes, "\n")));
}

std::string sha256_of_files(const std::vector<fs::path>& files) {
  std::vector<std::string> hashes;
  for (const fs::path& file : files) hashes.push_back(sha256_file(file));
  return joined(hashes);
}

}  // namespace

DataFile::DataFile(const fs::path& path) : where_(path.string()), name_(name_of_file(path)) {
  read_texts({path});
  if (bytes_.starts_with(kParquetMagic)) {
    throw Error(ErrorKind::kBadInput, where_ + ": it is a Parquet file; expected text");
  }
  check_text();
}

DataFile::DataFile(const fs::path& path, const DataSelection& selection) : where_(path.string()) {
  const FoundFiles found = files_of(path, selection.split);
  has_splits_ = found.has_splits;
  if (has_splits_) {
    const fs::path absolute = fs::absolute(path).lexically_normal();
    const fs::path folder = absolute.has_filename() ? absolute : absolute.parent_path();
    name_ = (folder.filename() / found.split).generic_string();
  } else {
    name_ = name_of_file(path);
  }
  if (is_parquet_name(found.files.front())) {
    read_parquet_files(found.files, selection.columns);
  } else {
    read_texts(found.files);
    if (bytes_.starts_with(kParquetMagic)) read_parquet_files(found.files, selection.columns);
  }
  check_text();
}

void DataFile::check_text() {
  if (bytes_.empty()) throw Error(ErrorKind::kBadInput, where_ + ": the file is empty");
  check_utf8(where_, bytes_);
  text_begin_ = bytes_.size() - without_byte_order_mark(bytes_).size();
}

void DataFile::read_parquet_files(const std::vector<fs::path>& files, const ParquetSelection& columns) {
  sha256_ = sha256_of_files(files);
  ParquetText parquet = read_parquet(where_, files, columns);
  bytes_ = std::move(parquet.text);
  extension_ = std::move(parquet.extension);
  classes_ = std::move(parquet.classes);
}

// Each is read once: it may be a pipe.
void DataFile::read_texts(const std::vector<fs::path>& files) {
  extension_ = lower_case(unpacked_name(files.front()).extension().string());
  if (files.size() > 1 && extension_ != ".jsonl") {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} files are of one split, and only files of Parquet and JSON Lines are joined; give "
                            "one of them, e.g. {}",
                            where_, files.size(), files.front().string()));
  }
  std::vector<std::string> hashes;
  for (const fs::path& file : files) {
    if (!bytes_.empty() && bytes_.back() != '\n') bytes_ += '\n';
    std::string content = read_file(file);
    hashes.push_back(sha256_hex(content));
    if (is_packed(file)) content = unpack(file.string());
    if (bytes_.empty()) {
      bytes_ = std::move(content);
    } else {
      bytes_ += without_byte_order_mark(content);
    }
  }
  sha256_ = joined(hashes);
}

std::vector<fs::path> files_of_data(const fs::path& path, const std::string& split) {
  return files_of(path, split).files;
}

std::string sha256_of_data(const fs::path& path, const std::string& split) {
  return sha256_of_files(files_of_data(path, split));
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
