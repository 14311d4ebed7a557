// The softmax of rows of attention scores in bf16, in three passes over a row that stays in the first cache.
#pragma once

#include <c10/util/BFloat16.h>

#include <cstdint>
#include <vector>

#include "engine/softmax_rows.h"

namespace transformeter {

/// Works on rows of up to `columns` scores, for inference: as SoftmaxRows, but without dropout and gradients.
class Bf16SoftmaxRows {
 public:
  explicit Bf16SoftmaxRows(std::int64_t columns);

  /// Scores become softmax(scale · scores + mask), computed in fp32. Exponentials are off by at most 1e-5 of
  /// themselves, where rounding to bf16 takes up to 4e-3. A row of which nothing is seen becomes zeros, one that holds
  /// NaN becomes NaN. The row's dropout is passed over.
  void soften(c10::BFloat16* scores, const SoftmaxRow& row);

 private:
  std::vector<float> buffer_;
};

}  // namespace transformeter
