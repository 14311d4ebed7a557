// Lines, columns and tags.
#include "datasets/conll.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/data_file.h"

namespace transformeter {
namespace {

TaggedToken read_token(const std::string& where, std::size_t number, std::string_view line) {
  const TaggedColumns columns = tagged_columns(line);
  const std::string place = fmt::format("{}:{}", where, number);
  if (columns.tag.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: '{}' has no tag; a line must be a token, a tab or spaces, and a tag", place,
                            excerpt(columns.token)));
  }
  if (trim(columns.token).empty()) throw Error(ErrorKind::kBadInput, place + ": the token is empty");
  if (!is_entity_tag(columns.tag)) {
    throw bad_value(place + ": tag", excerpt(columns.tag), "O, or B- or I- followed by a type, e.g. B-person");
  }
  return {std::string(columns.token), std::string(columns.tag), number};
}

}  // namespace

TaggedColumns tagged_columns(std::string_view line) {
  const char separator = line.find('\t') == std::string_view::npos ? ' ' : '\t';
  if (separator == ' ') line = trim(line);
  const std::size_t first = line.find(separator);
  if (first == std::string_view::npos) return {line, {}};
  return {line.substr(0, first), trim(line.substr(line.rfind(separator) + 1))};
}

bool is_entity_tag(std::string_view tag) {
  if (tag == "O") return true;
  return tag.size() > 2 && tag[1] == '-' && std::string_view("BIESLU").find(tag[0]) != std::string_view::npos;
}

bool looks_like_conll(std::string_view text) {
  std::size_t position = 0;
  const std::string_view line = next_line(text, position);
  if (line.starts_with("-DOCSTART-")) return true;
  const TaggedColumns columns = tagged_columns(line);
  return !columns.token.empty() && is_entity_tag(columns.tag);
}

TaggedSentenceSet read_conll(const std::string& where, std::string_view text) {
  TaggedSentenceSet set;
  TaggedSentence sentence;
  const auto end_sentence = [&] {
    if (!sentence.empty()) set.sentences.push_back(std::exchange(sentence, {}));
  };
  std::size_t number = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view line = next_line(text, position);
    ++number;
    if (trim(line).empty() || line.starts_with("-DOCSTART-")) {
      end_sentence();
    } else {
      sentence.push_back(read_token(where, number, line));
    }
  }
  end_sentence();
  if (set.sentences.empty()) throw Error(ErrorKind::kBadInput, where + ": there are no sentences");
  return set;
}

TaggedSentenceSet load_tagged_sentences(const std::filesystem::path& path, const std::string& split) {
  const DataFile file(path, {split, {}});
  TaggedSentenceSet set = read_conll(file.where(), file.text());
  set.name = file.name();
  set.sha256 = file.sha256();
  return set;
}

}  // namespace transformeter
