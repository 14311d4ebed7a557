// Conversions of rows, value for value those of LibTorch.
#include "engine/row_access.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace transformeter {
namespace {

// All values of 16 bits, and for each the middle between it and the next, and its neighbours: where rounding turns.
std::vector<float> turning_points() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0x0000U, 0x0FFFU, 0x1000U, 0x1001U, 0x7FFFU, 0x8000U, 0x8001U}) {
      values.push_back(std::bit_cast<float>(high << 16U | low));
    }
  }
  return values;
}

template <typename T>
class RowAccess : public testing::Test {};

using Types = testing::Types<c10::BFloat16, c10::Half>;
TYPED_TEST_SUITE(RowAccess, Types);

TYPED_TEST(RowAccess, WidensAsLibTorchDoes) {
  std::vector<TypeParam> row;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    row.emplace_back(static_cast<std::uint16_t>(bits), TypeParam::from_bits());
  }
  std::vector<float> wide(row.size());
  widen_row(row.data(), wide.data(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto expected = static_cast<float>(row[i]);
    ASSERT_TRUE(wide[i] == expected || (std::isnan(wide[i]) && std::isnan(expected))) << i;
  }
}

TYPED_TEST(RowAccess, NarrowsAsLibTorchDoes) {
  const std::vector<float> values = turning_points();
  std::vector<TypeParam> row(values.size());
  narrow_row(values.data(), row.data(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto expected = static_cast<TypeParam>(values[i]);
    const bool are_no_numbers = std::isnan(static_cast<float>(row[i])) && std::isnan(static_cast<float>(expected));
    ASSERT_TRUE(row[i].x == expected.x || are_no_numbers) << values[i];
  }
}

}  // namespace
}  // namespace transformeter
