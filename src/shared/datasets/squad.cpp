// Answers are held to their contexts while reading: a shifted answer_start would only show as a bad score.
#include "datasets/squad.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "datasets/data_file.h"
#include "datasets/json_cursor.h"

namespace transformeter {
namespace {

// Where each code point of a text begins, and the end.
std::vector<std::size_t> character_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) begins.push_back(i);
  }
  begins.push_back(text.size());
  return begins;
}

class SquadReader {
 public:
  explicit SquadReader(QuestionSet& set) : set_(set) {}

  void read(const JsonCursor& root) {
    const JsonCursor data = root.at("data");
    for (std::size_t i = 0; i < data.size(); ++i) {
      const JsonCursor entry = data.item(i);
      if (entry.has("paragraphs")) {
        group_ = group_of(fmt::format("article {}", i));
        read_article(entry.at("paragraphs"));
      } else {
        set_context(entry.at("context"));
        group_ = row_group(entry);
        read_question(entry);
      }
    }
    if (set_.questions.empty()) throw data.error("no questions");
  }

 private:
  void read_article(const JsonCursor& paragraphs) {
    for (std::size_t i = 0; i < paragraphs.size(); ++i) {
      const JsonCursor paragraph = paragraphs.item(i);
      set_context(paragraph.at("context"));
      const JsonCursor questions = paragraph.at("qas");
      for (std::size_t k = 0; k < questions.size(); ++k) read_question(questions.item(k));
    }
  }

  std::size_t group_of(const std::string& name) { return groups_.emplace(name, groups_.size()).first->second; }

  std::size_t row_group(const JsonCursor& row) {
    if (row.has("title")) return group_of("title " + row.at("title").text());
    set_.groups = "paragraphs";
    return group_of(fmt::format("context {}", set_.contexts.size()));
  }

  void set_context(const JsonCursor& context) {
    if (trim(context.text()).empty()) throw context.error("the context is empty");
    if (!set_.contexts.empty() && set_.contexts.back() == context.text()) return;  // flat rows repeat it
    set_.contexts.push_back(context.text());
    begins_ = character_begins(set_.contexts.back());
  }

  void read_question(const JsonCursor& place) {
    Question question;
    question.id = place.at("id").text();
    if (!ids_.insert(question.id).second) {
      throw place.at("id").error(fmt::format("duplicate id '{}'", excerpt(question.id)));
    }
    question.text = place.at("question").text();
    question.context = set_.contexts.size() - 1;
    question.group = group_;
    const JsonCursor answers = place.at("answers");
    if (answers.value().is_object()) {
      read_columns(answers, question);
    } else {
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const JsonCursor answer = answers.item(i);
        add_answer(answer, {answer.at("text").text(), answer.at("answer_start").count()}, question);
      }
    }
    if (place.has("is_impossible")) {
      set_.has_unanswerable = true;
      const JsonCursor impossible = place.at("is_impossible");
      if (impossible.flag() != question.answers.empty()) {
        throw impossible.error(
            fmt::format("is {}, but the question has {} answers", impossible.flag(), question.answers.size()));
      }
    }
    if (question.answers.empty()) set_.has_unanswerable = true;
    set_.questions.push_back(std::move(question));
  }

  void read_columns(const JsonCursor& answers, Question& question) {
    const JsonCursor texts = answers.at("text");
    const JsonCursor starts = answers.at("answer_start");
    if (texts.size() != starts.size()) {
      throw answers.error(fmt::format("{} texts for {} values of answer_start", texts.size(), starts.size()));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      add_answer(texts.item(i), {texts.item(i).text(), starts.item(i).count()}, question);
    }
  }

  void add_answer(const JsonCursor& place, Answer answer, Question& question) {
    const std::string_view context = set_.contexts.back();
    const bool is_inside = answer.start < begins_.size();
    const std::string_view there = is_inside ? context.substr(begins_[answer.start]) : std::string_view();
    if (!is_inside || !there.starts_with(answer.text)) {
      throw place.error(fmt::format("the answer '{}' is not at character {} of the context, which has '{}' there",
                                    excerpt(answer.text, 40), answer.start, excerpt(there, 40)));
    }
    question.answers.push_back(std::move(answer));
  }

  QuestionSet& set_;
  std::set<std::string> ids_;
  std::map<std::string, std::size_t> groups_;  // by name
  std::size_t group_ = 0;                      // of the question that is read
  std::vector<std::size_t> begins_;            // of the last context
};

}  // namespace

QuestionSet read_squad(const std::string& where, std::string_view text) {
  const Json json = parse_json(where, text);
  QuestionSet set;
  SquadReader(set).read(JsonCursor(where, json));
  return set;
}

QuestionSet load_questions(const std::filesystem::path& path, const std::string& split) {
  const DataFile file(path, {split, {}});
  QuestionSet set = read_squad(file.where(), file.text());
  set.name = file.name();
  set.sha256 = file.sha256();
  return set;
}

// Walks through the first object of the text, whose keys may come in any order.
bool looks_like_squad(std::string_view text) {
  const auto after_space = [&](std::size_t from) {
    return std::min(text.find_first_not_of(" \t\r\n", from), text.size());
  };
  const auto has_at = [&](std::size_t at, char wanted) { return at < text.size() && text[at] == wanted; };
  if (!has_at(after_space(0), '{')) return false;
  std::size_t depth = 0;
  for (std::size_t i = after_space(0); i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return false;
    if (c != '"') continue;
    const std::size_t begin = i + 1;
    for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    const std::size_t colon = after_space(i + 1);
    if (depth != 1 || text.substr(begin, i - begin) != "data" || !has_at(colon, ':')) continue;
    if (has_at(after_space(colon + 1), '[')) return true;
  }
  return false;
}

}  // namespace transformeter
