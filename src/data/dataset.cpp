// Choosing the format, and what holds for all of them.
#include "data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "data/sst2.h"

namespace transformeter {
namespace {

std::string name_of_file(const std::filesystem::path& path) {
  const std::filesystem::path absolute = std::filesystem::absolute(path).lexically_normal();
  return (absolute.parent_path().filename() / absolute.stem()).generic_string();
}

std::string_view first_line(std::string_view bytes) {
  std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

const DataFormat& choose_format(const std::string& where, std::string_view header,
                                const std::vector<DataFormat>& formats) {
  std::string known;
  for (const DataFormat& format : formats) {
    if (format.recognises(header)) return format;
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", format.name, format.description);
  }
  constexpr std::size_t kShown = 80;
  throw bad_value(where + ":1: header", header.substr(0, kShown), "no data format starts so; known: " + known);
}

}  // namespace

std::vector<DataFormat> builtin_data_formats() {
  return {sst2_format()};
}

DataSet load_dataset(const std::filesystem::path& path, const std::vector<DataFormat>& formats) {
  const std::string where = path.string();
  const MappedFile file(path);
  std::string_view bytes = file.bytes();
  if (bytes.empty()) throw Error(ErrorKind::kBadInput, where + ": the file is empty");
  if (const auto offset = first_invalid_utf8(bytes)) {
    const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*offset), '\n');
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}:{}: not valid UTF-8 at byte {} of the file", where, line, *offset));
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.substr(0, kByteOrderMark.size()) == kByteOrderMark) bytes.remove_prefix(kByteOrderMark.size());
  DataSet data = choose_format(where, first_line(bytes), formats).read(where, bytes);
  if (data.examples.empty()) throw Error(ErrorKind::kBadInput, where + ": there are no rows below the header");
  data.name = name_of_file(path);
  data.sha256 = sha256_hex(file.bytes());
  return data;
}

}  // namespace transformeter
