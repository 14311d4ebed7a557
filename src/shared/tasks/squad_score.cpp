// Each step as the Python scripts do it, in their order: lower, punctuation, articles, white space.
#include "tasks/squad_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "tasks/python_text.h"

namespace transformeter {
namespace {

using Words = std::vector<std::string>;

// re.sub(r"\b(a|an|the)\b", " ", text): whole runs of word characters that are an article. Alternatives are tried in
// order and fall back, so "an" is found though "a" comes first.
std::u32string without_articles(std::u32string_view text) {
  constexpr std::array<std::u32string_view, 3> kArticles = {U"a", U"an", U"the"};
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_python_word(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_python_word(text[end])) ++end;
    const std::u32string_view run = text.substr(i, end - i);
    const bool is_article = std::find(kArticles.begin(), kArticles.end(), run) != kArticles.end();
    result += is_article ? std::u32string_view(U" ") : run;
    i = end;
  }
  return result;
}

Words normalized_words(std::string_view text) {
  std::u32string lower = python_lower(decode_utf8(text));
  std::erase_if(lower, is_python_punctuation);
  const std::u32string kept = without_articles(lower);
  Words words;
  for (std::size_t i = 0; i < kept.size();) {
    if (is_python_space(kept[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < kept.size() && !is_python_space(kept[end])) ++end;
    words.push_back(encode_utf8(std::u32string_view(kept).substr(i, end - i)));
    i = end;
  }
  return words;
}

double f1_of(Words predicted, Words truth, SquadRules rules) {
  if (rules == SquadRules::kV2 && (predicted.empty() || truth.empty())) return predicted == truth ? 1 : 0;
  std::sort(predicted.begin(), predicted.end());
  std::sort(truth.begin(), truth.end());
  Words common;
  std::set_intersection(predicted.begin(), predicted.end(), truth.begin(), truth.end(), std::back_inserter(common));
  if (common.empty()) return 0;
  const double precision = static_cast<double>(common.size()) / static_cast<double>(predicted.size());
  const double recall = static_cast<double>(common.size()) / static_cast<double>(truth.size());
  return 2 * precision * recall / (precision + recall);
}

struct Judged {
  AnswerScore score;
  std::size_t group = 0;
};

struct Sum {
  double exact = 0;
  double f1 = 0;
  double n = 0;
};

// By group; those without a question are omitted.
std::vector<Sum> sums_of(const std::vector<Judged>& answers) {
  std::map<std::size_t, Sum> by_group;
  for (const Judged& answer : answers) {
    Sum& sum = by_group[answer.group];
    sum.exact += answer.score.exact ? 1 : 0;
    sum.f1 += answer.score.f1;
    sum.n += 1;
  }
  std::vector<Sum> sums;
  for (const auto& [group, sum] : by_group) sums.push_back(sum);
  return sums;
}

struct Part {
  std::string group;  // of the scores: answerable, unanswerable, or empty for all
  std::vector<Judged> answers;
};

void add_scores(ScoreReport& report, const Part& part, const std::string& units, const StopCheck& check) {
  const std::vector<Sum> sums = sums_of(part.answers);
  std::vector<std::size_t> all(sums.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto add = [&](const char* name, double Sum::*value) {
    const auto mean = [&](std::span<const std::size_t> chosen) -> std::optional<double> {
      Sum total;
      for (const std::size_t i : chosen) {
        total.*value += sums[i].*value;
        total.n += sums[i].n;
      }
      return total.*value / total.n;
    };
    Score score;
    score.name = name;
    score.group = part.group;
    score.estimate = {*mean(all), {}, part.answers.size()};
    score.counts = "questions";
    add_bootstrap_interval(score, sums.size(), units, mean, check);
    report.scores.push_back(std::move(score));
  };
  add("exact_match", &Sum::exact);
  add("f1", &Sum::f1);
}

struct MissingPredictions {
  std::size_t count = 0;
  std::string first;  // question id
};

// What the official scripts do: evaluate-v1.1 counts the question as wrong, evaluate-v2.0 leaves it out.
std::string note_of(const MissingPredictions& missing, SquadRules rules) {
  return fmt::format("{} questions have no prediction and {}, first '{}'", missing.count,
                     rules == SquadRules::kV1 ? "count as 0" : "are omitted", excerpt(missing.first));
}

std::string first_id(const std::map<std::string, std::string>& predictions) {
  return predictions.empty()
             ? ""
             : fmt::format("; the first prediction has the id '{}'", excerpt(predictions.begin()->first));
}

}  // namespace

std::string normalize_answer(std::string_view text) {
  return fmt::format("{}", fmt::join(normalized_words(text), " "));
}

AnswerScore score_answer(std::string_view predicted, const std::vector<Answer>& answers, SquadRules rules) {
  const Words words = normalized_words(predicted);
  std::vector<Words> truths;
  for (const Answer& answer : answers) {
    Words truth = normalized_words(answer.text);
    if (rules == SquadRules::kV1 || !truth.empty()) truths.push_back(std::move(truth));
  }
  if (rules == SquadRules::kV2 && truths.empty()) truths.emplace_back();
  AnswerScore best;
  for (const Words& truth : truths) {
    best.exact = best.exact || words == truth;
    best.f1 = std::max(best.f1, f1_of(words, truth, rules));
  }
  return best;
}

ScoreReport score_question_answering(const QuestionSet& set, const std::map<std::string, std::string>& predictions,
                                     const StopCheck& check) {
  const SquadRules rules = set.has_unanswerable ? SquadRules::kV2 : SquadRules::kV1;
  ScoreReport report{Task::kQuestionAnswering, rules == SquadRules::kV2 ? "SQuAD v2.0" : "SQuAD v1.1", {}, {}};
  Part all{"", {}};
  Part answerable{"answerable", {}};
  Part unanswerable{"unanswerable", {}};
  MissingPredictions missing;
  for (const Question& question : set.questions) {
    const auto found = predictions.find(question.id);
    const bool is_missing = found == predictions.end();
    if (is_missing && missing.count++ == 0) missing.first = question.id;
    if (is_missing && rules == SquadRules::kV2) continue;
    all.answers.push_back(
        {is_missing ? AnswerScore{} : score_answer(found->second, question.answers, rules), question.group});
    (question.answers.empty() ? unanswerable : answerable).answers.push_back(all.answers.back());
  }
  if (missing.count == set.questions.size()) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("none of the {} questions has a prediction (first: '{}'); predictions are matched by question id{}",
                    missing.count, excerpt(missing.first), first_id(predictions)));
  }
  add_scores(report, all, set.groups, check);
  if (rules == SquadRules::kV2) {
    for (const Part* part : {&answerable, &unanswerable}) {
      if (!part->answers.empty()) add_scores(report, *part, set.groups, check);
    }
  }
  if (missing.count > 0) report.notes.push_back(note_of(missing, rules));
  const std::size_t unknown = predictions.size() - (set.questions.size() - missing.count);
  if (unknown > 0) {
    report.notes.push_back(fmt::format("{} predictions do not match any question and are ignored", unknown));
  }
  return report;
}

}  // namespace transformeter
