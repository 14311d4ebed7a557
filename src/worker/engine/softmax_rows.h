// Rows of attention scores: softmax, dropout and their gradient in one buffer, computed in fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/dropout_stream.h"

namespace transformeter {

struct SoftmaxRow {
  float scale = 1;              // of the scores
  const float* mask = nullptr;  // added to the scaled scores, [columns]; null: none
  std::int64_t columns = 0;
  std::int64_t seen = 0;  // the columns after these get nothing
  DropoutRow dropout{};
};

/// Works on rows of up to `columns` values of T: fp32, bf16 or fp16.
template <typename T>
class SoftmaxRows {
 public:
  explicit SoftmaxRows(std::int64_t columns);

  /// Scores become dropout(softmax(scale · scores + mask)). Returns the logarithm of the sum of the exponentials, or
  /// infinity for a row of which nothing is seen.
  float soften(T* scores, const SoftmaxRow& row);

  /// Scores become what `soften` made of them; `slopes`, by the result of `soften`, become those by the scores.
  void differentiate(T* scores, T* slopes, float log_sum, const SoftmaxRow& row);

 private:
  std::vector<float> first_, second_;  // a row each, of 16-bit types
};

}  // namespace transformeter
