// The softmax of rows of attention scores in bf16, in three passes over a row that stays in the first cache.
#pragma once

#include <c10/util/BFloat16.h>

#include <cstdint>
#include <vector>

namespace transformeter {

struct ScoreRow {
  float scale = 1;              // of the scores
  const float* mask = nullptr;  // added to the scaled scores, [columns]; null: none
  std::int64_t columns = 0;
  std::int64_t seen = 0;  // the columns after these get nothing
};

/// Works on rows of up to `columns` scores.
class Bf16Shares {
 public:
  explicit Bf16Shares(std::int64_t columns);

  /// Scores become softmax(scale · scores + mask), computed in fp32. Exponentials are off by at most 1e-5 of
  /// themselves, where rounding to bf16 takes up to 4e-3. A row of which nothing is seen becomes zeros, one that holds
  /// NaN becomes NaN.
  void of(c10::BFloat16* scores, const ScoreRow& row);

 private:
  std::vector<float> buffer_;
};

}  // namespace transformeter
