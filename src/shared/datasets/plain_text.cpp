// Lines and words.
#include "datasets/plain_text.h"

#include "base/text.h"
#include "datasets/data_file.h"

namespace transformeter {

PlainText load_plain_text(const std::filesystem::path& path) {
  const DataFile file(path);
  return {file.name(), file.sha256(), std::string(file.text())};
}

std::vector<std::string_view> text_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view line = next_line(text, position);
    if (!trim(line).empty()) lines.push_back(line);
  }
  return lines;
}

std::size_t count_words(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  std::size_t count = 0;
  for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;
       begin = text.find_first_not_of(kSpace, begin)) {
    ++count;
    begin = text.find_first_of(kSpace, begin);
    if (begin == std::string_view::npos) break;
  }
  return count;
}

}  // namespace transformeter
