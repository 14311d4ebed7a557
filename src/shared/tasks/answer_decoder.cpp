// Candidates of all windows, best first.
#include "tasks/answer_decoder.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tasks/softmax.h"

namespace transformeter {
namespace {

struct Candidate {
  double score = 0;
  bool is_null = false;
  TextSpan characters;
  TextSpan bytes;
};

// Positions of the `count` largest, largest first.
std::vector<std::size_t> largest(std::span<const float> scores, std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  order.resize(count);
  return order;
}

void add_candidates(const AnswerWindow& window, const AnswerOptions& options, std::vector<Candidate>& candidates) {
  const auto is_context = [&](std::size_t token) {
    return token >= window.context.begin && token < window.context.end;
  };
  const std::vector<std::size_t> ends = largest(window.end, options.best_count);
  for (const std::size_t start : largest(window.start, options.best_count)) {
    for (const std::size_t end : ends) {
      if (!is_context(start) || !is_context(end)) continue;
      if (end < start || end - start + 1 > options.max_answer_tokens) continue;
      candidates.push_back({static_cast<double>(window.start[start]) + static_cast<double>(window.end[end]),
                            false,
                            {window.characters[start].begin, window.characters[end].end},
                            {window.bytes[start].begin, window.bytes[end].end}});
    }
  }
}

// The windows' smallest: a window that is sure to hold the answer outweighs those that are sure not to.
double null_score_of(std::span<const AnswerWindow> windows) {
  double score = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double one = static_cast<double>(windows[i].start[0]) + static_cast<double>(windows[i].end[0]);
    if (i == 0 || one < score) score = one;
  }
  return score;
}

// The best of them, best first; "no answer" is among them whatever its rank.
std::vector<Candidate> best_of(std::vector<Candidate> candidates, std::size_t count) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  if (candidates.size() <= count) return candidates;
  const auto cut = candidates.begin() + static_cast<std::ptrdiff_t>(count);
  const auto lost_null = std::find_if(cut, candidates.end(), [](const Candidate& one) { return one.is_null; });
  if (lost_null != candidates.end()) {
    *cut = *lost_null;
    ++count;
  }
  candidates.resize(count);
  return candidates;
}

// Its position; nothing without candidates.
std::optional<std::size_t> choose(const std::vector<Candidate>& candidates, std::optional<double> null_score) {
  const auto find = [&](bool null) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const Candidate& one) { return one.is_null == null; });
  };
  auto chosen = find(false);
  if (null_score && (chosen == candidates.end() || *null_score > chosen->score)) chosen = find(true);
  if (chosen == candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(chosen - candidates.begin());
}

}  // namespace

AnswerPrediction decode_answer(std::span<const AnswerWindow> windows, std::string_view context,
                               const AnswerOptions& options) {
  AnswerPrediction answer;
  std::vector<Candidate> candidates;
  for (const AnswerWindow& window : windows) add_candidates(window, options, candidates);
  if (options.allow_no_answer) {
    answer.null_score = null_score_of(windows);
    candidates.push_back({*answer.null_score, true, {}, {}});
  }
  candidates = best_of(std::move(candidates), options.best_count);
  const std::optional<std::size_t> chosen = choose(candidates, answer.null_score);
  if (!chosen) return answer;
  std::vector<double> scores;
  for (const Candidate& one : candidates) scores.push_back(one.score);
  const Candidate& best = candidates[*chosen];
  answer.answer = context.substr(best.bytes.begin, best.bytes.end - best.bytes.begin);
  answer.place = {static_cast<std::int64_t>(best.characters.begin), static_cast<std::int64_t>(best.characters.end)};
  answer.score = softmax(scores)[*chosen];
  return answer;
}

}  // namespace transformeter
