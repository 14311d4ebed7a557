// Predictions of tags and answers.
#include "tasks/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/json_cursor.h"

namespace transformeter {
namespace {

// Keys that come twice would silently be one: the parser tells of each key before it drops the first.
void check_keys(const std::string& where, std::string_view text) {
  std::set<std::string> seen;
  const Json::parser_callback_t each = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(value.get<std::string>()).second) {
      throw refused_value(where + ": id", excerpt(value.get<std::string>()), "each question must be answered once");
    }
    return true;
  };
  [[maybe_unused]] const Json checked = Json::parse(text, each);
}

struct TagLine {
  std::size_t line = 0;
  std::string_view token;  // empty where the line is a tag alone
  std::string tag;
};

std::vector<std::vector<TagLine>> tag_lines(const std::string& where, std::string_view text) {
  std::vector<std::vector<TagLine>> sentences(1);
  std::size_t number = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view line = next_line(text, position);
    ++number;
    if (trim(line).empty() || line.starts_with("-DOCSTART-")) {
      if (!sentences.back().empty()) sentences.emplace_back();
      continue;
    }
    const TaggedColumns columns = tagged_columns(line);
    const bool is_alone = columns.tag.empty();
    const std::string_view tag = is_alone ? trim(columns.token) : columns.tag;
    const std::string_view token = is_alone ? std::string_view() : columns.token;
    if (!is_entity_tag(tag)) {
      throw bad_value(fmt::format("{}:{}: tag", where, number), excerpt(tag),
                      "O, or B- or I- followed by a type, e.g. B-person");
    }
    sentences.back().push_back({number, token, std::string(tag)});
  }
  if (sentences.back().empty()) sentences.pop_back();
  return sentences;
}

void check_sentence(const std::string& where, const std::vector<TagLine>& predicted, const TaggedSentence& sentence) {
  for (std::size_t i = 0; i < std::min(predicted.size(), sentence.size()); ++i) {
    if (predicted[i].token.empty() || predicted[i].token == sentence[i].text) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("{}:{}: the token is '{}', but in line {} of the data set it is '{}'",
                                                  where, predicted[i].line, excerpt(predicted[i].token),
                                                  sentence[i].line, excerpt(sentence[i].text)));
  }
  if (predicted.size() == sentence.size()) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}:{}: a sentence has {} tags, but the data set's from line {} has {} tokens", where,
                          predicted.front().line, predicted.size(), sentence.front().line, sentence.size()));
}

}  // namespace

std::map<std::string, std::string> read_predicted_answers(const std::string& where, std::string_view text) {
  const Json json = parse_json(where, text);
  const JsonCursor root(where, json);
  if (!json.is_object())
    throw root.error("predictions must be an object of question ids and answers such as {\"id\": \"text\"}");
  check_keys(where, text);
  std::map<std::string, std::string> answers;
  for (const auto& [id, answer] : json.items()) {
    if (!answer.is_string()) {
      throw bad_value(fmt::format("{}: the answer to '{}'", where, excerpt(id)), excerpt(canonical_json(answer)),
                      "a string, empty for no answer");
    }
    answers.emplace(id, answer.get<std::string>());
  }
  return answers;
}

std::vector<std::vector<std::string>> read_predicted_tags(const std::string& where, std::string_view text,
                                                          const std::vector<TaggedSentence>& sentences) {
  const std::vector<std::vector<TagLine>> lines = tag_lines(where, text);
  std::vector<std::vector<std::string>> tags;
  for (std::size_t i = 0; i < std::min(lines.size(), sentences.size()); ++i) {
    check_sentence(where, lines[i], sentences[i]);
    tags.emplace_back();
    for (const TagLine& line : lines[i]) tags.back().push_back(line.tag);
  }
  if (lines.size() != sentences.size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} sentences, but the data set has {}; separate sentences by blank lines", where,
                            lines.size(), sentences.size()));
  }
  return tags;
}

}  // namespace transformeter
