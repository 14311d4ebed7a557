// How well a model finds what belongs together: the captions of an image, and the image of a caption.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tasks/score.h"

namespace transformeter {

/// Recall at 1 and 5 of queries, each of which has candidates of which one or more are right.
class RetrievalRecall {
 public:
  /// `direction` begins the scores' names, as "text_to_image"; `queries` is what n counts, as "captions"; `units` what
  /// is independent, as "images".
  RetrievalRecall(std::string direction, std::string queries, std::string units);

  /// `similarities` of one query to each candidate; `right`: the places of those that belong to it, at least one. Of
  /// candidates that are alike the first comes first. `unit`, from 0: whose query it is, as the image of a caption.
  void add(std::span<const float> similarities, std::span<const std::size_t> right, std::size_t unit);

  /// The share of queries that have a right candidate among the first k, for each k below the number of candidates:
  /// "text_to_image_recall_at_1", with Wilson's interval, or a bootstrap over units where one has several queries.
  /// Throws Error(kBadInput) for no queries.
  std::vector<Score> scores() const;

 private:
  static constexpr std::array<std::size_t, 2> kAt{1, 5};

  struct Unit {
    std::size_t queries = 0;
    std::array<std::size_t, kAt.size()> found{};
  };

  Score score_at(std::size_t place) const;

  std::string direction_, queries_, units_name_;
  std::size_t candidates_ = 0;
  std::vector<Unit> units_;
};

}  // namespace transformeter
