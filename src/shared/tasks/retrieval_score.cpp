// As recall is counted on Flickr30K and COCO, where an image has five captions (Karpathy and Fei-Fei 2015,
// arXiv:1412.2306).
#include "tasks/retrieval_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

// Candidates before that one.
std::size_t rank_of(std::size_t candidate, std::span<const float> similarities) {
  const float own = similarities[candidate];
  std::size_t before = 0;
  for (std::size_t other = 0; other < similarities.size(); ++other) {
    const bool is_before = similarities[other] > own || (similarities[other] == own && other < candidate);
    before += is_before ? 1 : 0;
  }
  return before;
}

}  // namespace

RetrievalRecall::RetrievalRecall(std::string direction, std::string queries, std::string units)
    : direction_(std::move(direction)), queries_(std::move(queries)), units_name_(std::move(units)) {}

void RetrievalRecall::add(std::span<const float> similarities, std::span<const std::size_t> right, std::size_t unit) {
  candidates_ = similarities.size();
  std::size_t best = candidates_;
  for (const std::size_t candidate : right) best = std::min(best, rank_of(candidate, similarities));
  if (units_.size() <= unit) units_.resize(unit + 1);
  for (std::size_t i = 0; i < kAt.size(); ++i) units_[unit].found[i] += best < kAt[i] ? 1 : 0;
  ++units_[unit].queries;
}

Score RetrievalRecall::score_at(std::size_t place) const {
  std::string name = fmt::format("{}_recall_at_{}", direction_, kAt[place]);
  std::size_t found = 0, count = 0;
  for (const Unit& unit : units_) {
    found += unit.found[place];
    count += unit.queries;
  }
  const bool are_independent =
      std::all_of(units_.begin(), units_.end(), [](const Unit& unit) { return unit.queries <= 1; });
  if (are_independent) return share_score(std::move(name), queries_, found, count);
  const auto share = [&](std::span<const std::size_t> chosen) -> std::optional<double> {
    std::size_t chosen_found = 0, chosen_count = 0;
    for (const std::size_t unit : chosen) {
      chosen_found += units_[unit].found[place];
      chosen_count += units_[unit].queries;
    }
    if (chosen_count == 0) return std::nullopt;
    return static_cast<double>(chosen_found) / static_cast<double>(chosen_count);
  };
  Score score = bootstrapped_score(std::move(name), units_.size(), units_name_, share);
  score.counts = queries_;
  score.estimate.n = count;
  return score;
}

std::vector<Score> RetrievalRecall::scores() const {
  if (units_.empty()) throw Error(ErrorKind::kBadInput, fmt::format("there are no {} to score", queries_));
  std::vector<Score> scores;
  for (std::size_t i = 0; i < kAt.size(); ++i) {
    if (kAt[i] < candidates_) scores.push_back(score_at(i));  // all candidates are found by every model
  }
  return scores;
}

}  // namespace transformeter
