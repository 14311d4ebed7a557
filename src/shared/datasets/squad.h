// Question answering in SQuAD's forms: the articles of SQuAD v1.1, v2.0 and XQuAD, and flat rows of one question each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct Answer {
  std::string text;
  std::size_t start = 0;  // of the text in the context, in Unicode code points
};

struct Question {
  std::string id;
  std::string text;
  std::size_t context = 0;      // index into QuestionSet::contexts
  std::size_t group = 0;        // questions of one group share an article, or where that is unknown a paragraph
  std::vector<Answer> answers;  // what annotators gave; empty: the question has no answer
};

struct QuestionSet {
  std::string name;  // folder and file without ending
  std::string sha256;
  std::vector<std::string> contexts;
  std::vector<Question> questions;  // ids differ
  std::string groups = "articles";  // what the groups are, else "paragraphs"
  bool has_unanswerable = false;    // the rules of SQuAD v2.0 apply: "is_impossible" is there, or answers are missing
};

/// Reads {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text", "answer_start"}]}]}]}]}
/// or {"data": [{"id", "question", "context", "answers": {"text": […], "answer_start": […]}}]}; v2.0 adds
/// "is_impossible"; a row's "title" names its article. Throws Error(kBadInput) with the place inside the JSON for
/// another shape, an empty context, an id that comes twice, an answer that does not stand at its answer_start, and for
/// no questions at all.
QuestionSet read_squad(const std::string& where, std::string_view text);

/// read_squad on a file, or a folder's files of a split, with name and hash.
QuestionSet load_questions(const std::filesystem::path& path, const std::string& split = "");

/// Whether the text looks like one of these forms: an object with the key "data", wherever it stands, and a list.
bool looks_like_squad(std::string_view text);

}  // namespace transformeter
