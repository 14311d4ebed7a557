// Against Transformers' own buckets of all distances of 512 tokens.
#include "model/relative_bias.h"

#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <cstdint>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

constexpr std::int64_t kTokens = 512;

// Row r holds r and 100 r, for two heads.
RelativeBias numbered_bias(std::int64_t rows) {
  const at::Tensor first = at::arange(rows, at::kFloat).unsqueeze(1);
  Parameters parameters;
  parameters.add("bias.weight", at::cat({first, 100 * first}, 1));
  return {{.table = "bias.weight", .rows = rows, .heads = 2}, parameters};
}

TEST(RelativeBias, BucketsAreTransformersOnes) {
  const Json reference =
      parse_json("distances.json", read_file(source_directory() / "tests/data/models/distances.json"));
  const at::Tensor bias = numbered_bias(32).of(kTokens);
  ASSERT_EQ(bias.sizes(), (std::vector<std::int64_t>{1, 2, kTokens, kTokens}));
  for (std::int64_t query = 0; query < kTokens; query += 73) {
    for (std::int64_t key = 0; key < kTokens; ++key) {
      const auto bucket = reference.at("buckets").at(static_cast<std::size_t>(key - query + kTokens - 1)).get<float>();
      ASSERT_EQ(bias[0][0][query][key].item<float>(), bucket) << query << " " << key;
      ASSERT_EQ(bias[0][1][query][key].item<float>(), 100 * bucket) << query << " " << key;
    }
  }
}

TEST(RelativeBias, OfOneTokenIsThatOfItself) {
  const at::Tensor bias = numbered_bias(40).of(1);
  ASSERT_EQ(bias.numel(), 2);
  EXPECT_EQ(bias.abs().sum().item<float>(), 0);
}

}  // namespace
}  // namespace transformeter
