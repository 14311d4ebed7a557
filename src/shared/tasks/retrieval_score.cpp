// As recall is counted on Flickr30K and COCO, where an image has five captions (Karpathy and Fei-Fei 2015,
// arXiv:1412.2306).
#include "tasks/retrieval_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

RetrievalRecall::RetrievalRecall(std::string direction, std::string queries)
    : direction_(std::move(direction)), queries_(std::move(queries)) {}

void RetrievalRecall::add(std::span<const float> similarities, std::span<const std::size_t> right) {
  std::size_t best = similarities.size();
  for (const std::size_t candidate : right) best = std::min(best, rank_of(candidate, similarities));
  for (std::size_t i = 0; i < kAt.size(); ++i) found_[i] += best < kAt[i] ? 1 : 0;
  ++count_;
}

std::vector<Score> RetrievalRecall::scores() const {
  std::vector<Score> scores;
  for (std::size_t i = 0; i < kAt.size(); ++i) {
    scores.push_back(share_score(fmt::format("{}_recall_at_{}", direction_, kAt[i]), queries_, found_[i], count_));
  }
  return scores;
}

}  // namespace transformeter
