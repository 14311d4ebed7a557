// Prefixes of large and small numbers.
#include "base/units.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(DecimalPrefix, LeavesANumberBelowAThousand) {
  const auto expect = [](double value, double number, std::string_view prefix) {
    const PrefixedNumber prefixed = with_decimal_prefix(value);
    EXPECT_DOUBLE_EQ(prefixed.number, number) << value;
    EXPECT_EQ(prefixed.prefix, prefix) << value;
  };
  expect(0, 0, "");
  expect(999, 999, "");
  expect(1000, 1, "k");
  expect(1.5e9, 1.5, "G");
  expect(-2.5e6, -2.5, "M");
  expect(3e18, 3000, "P");  // there is no larger one
}

}  // namespace
}  // namespace transformeter
