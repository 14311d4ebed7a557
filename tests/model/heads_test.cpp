// Poolings, by hand and packed against padded.
#include "model/heads.h"

#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <cmath>

namespace transformeter {
namespace {

constexpr Selection kPoolings[] = {Selection::kFirst, Selection::kLast,         Selection::kMean,
                                   Selection::kMax,   Selection::kMeanOverRoot, Selection::kWeightedMean};

// Two texts of three and two tokens, one number each; padding has a number that no pooling may see.
ModelInputs padded() {
  ModelInputs inputs;
  inputs.token_mask = at::tensor({1, 1, 1, 1, 1, 0}).view({2, 3}).to(at::kBool);
  return inputs;
}
at::Tensor hidden() {
  return at::tensor({1.F, 4.F, 2.F, -3.F, -6.F, 99.F}).view({2, 3, 1});
}

TEST(SelectTokens, IsWhatSentenceTransformersCallsIt) {
  const std::vector<std::pair<Selection, std::vector<double>>> expected{
      {Selection::kFirst, {1, -3}},
      {Selection::kLast, {2, -6}},
      {Selection::kMean, {7.0 / 3, -4.5}},
      {Selection::kMax, {4, -3}},
      {Selection::kMeanOverRoot, {7 / std::sqrt(3.0), -9 / std::sqrt(2.0)}},
      {Selection::kWeightedMean, {(1 + 8 + 6) / 6.0, (-3 - 12) / 3.0}},
  };
  for (const auto& [selection, values] : expected) {
    const at::Tensor pooled = select_tokens(hidden(), padded(), selection);
    for (std::int64_t row = 0; row < 2; ++row) {
      EXPECT_NEAR(pooled[row][0].item<double>(), values[static_cast<std::size_t>(row)], 1e-6)
          << "selection " << static_cast<int>(selection) << " row " << row;
    }
  }
}

TEST(SelectTokens, PackedRowsGiveTheSame) {
  ModelInputs packed;
  packed.rows = pack_rows({3, 2});
  const at::Tensor tokens = at::cat({hidden()[0], hidden()[1].slice(0, 0, 2)}).unsqueeze(0);
  for (const Selection selection : kPoolings) {
    const at::Tensor expected = select_tokens(hidden(), padded(), selection);
    EXPECT_LE((select_tokens(tokens, packed, selection) - expected).abs().max().item<double>(), 1e-6)
        << static_cast<int>(selection);
  }
}

}  // namespace
}  // namespace transformeter
