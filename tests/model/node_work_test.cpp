// FLOPs and bytes of nodes from sizes, and none where sizes do not tell.
#include "model/node_work.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace transformeter {
namespace {

TEST(ShapedValue, KnowsTheSizeOfFormatsOfBothLibraries) {
  const std::pair<const char*, double> formats[] = {
      {"fp32", 24},   {"i64", 48},   {"bf16", 12},     {"int8", 6},   {"u8", 6},         {"boolean", 6}, {"bool", 6},
      {"u4", 3},      {"", 0},       {"undefined", 0}, {"string", 0}, {"fp320000", 0},   {"f16", 12},    {"nf4", 3},
      {"uint16", 12}, {"f8e4m3", 0}, {"f8e5m2", 0},    {"f4e2m1", 0}, {"float8e5m2", 0}, {"x32", 0}};
  for (const auto& [format, bytes] : formats) {
    EXPECT_EQ((ShapedValue{format, {2, 3}}.bytes()), bytes) << format;
  }
  EXPECT_EQ((ShapedValue{"fp32", {}}.bytes()), 4) << "a scalar";
}

TEST(ProductWork, CountsMultiplicationsAndEachMatrixOnce) {
  // [2, 3, 4] · [4, 5] + [5]: 2 · 30 outputs · 4; 24 + 20 + 5 + 30 numbers of 4 bytes.
  const NodeValues values{{{"fp32", {2, 3, 4}}, {"fp32", {4, 5}}, {"fp32", {5}}}, {{"fp32", {2, 3, 5}}}};
  const NodeWork work = product_work(values, "fp32");
  EXPECT_EQ(work.flops, 240);
  EXPECT_EQ(work.bytes, 79 * 4);
}

TEST(ProductWork, AddsAWeightThatTheKernelKeeps) {
  const NodeValues values{{{"fp32", {2, 3, 4}}}, {{"fp32", {2, 3, 5}}}};
  EXPECT_EQ(product_work(values, "fp32").bytes, (24 + 30 + 20) * 4);
  EXPECT_EQ(product_work(values, "int8").bytes, (24 + 30) * 4 + 20);
  EXPECT_EQ(product_work(values, "packed").bytes, 0) << "its size is not known";
  EXPECT_EQ(product_work(values, "packed").flops, 240);
}

TEST(ProductWork, IsUnknownWhereSizesDoNotTell) {
  const std::vector<NodeValues> unclear{
      {},
      {{{"fp32", {2, 3, 4}}}, {}},
      {{{"fp32", {4}}}, {{"fp32", {5}}}},
      {{{"fp32", {1, 3, 4}}, {"fp32", {2, 4, 5}}}, {{"fp32", {2, 3, 5}}}},  // the first is used twice
      {{{"fp32", {3, 4}}}, {{"fp32", {7, 5}}}},
      {{{"fp32", {0, 4}}}, {{"fp32", {0, 5}}}},
  };
  for (const NodeValues& values : unclear) EXPECT_EQ(product_work(values, "fp32").flops, 0);
}

TEST(LookupWork, DoesNotReadTheWholeTable) {
  // 6 rows of 4 numbers are read and written, and 6 indices read.
  const NodeValues values{{{"fp32", {1000, 4}}, {"i64", {2, 3}}}, {{"fp32", {2, 3, 4}}}};
  EXPECT_EQ(lookup_work(values).bytes, 2 * 24 * 4 + 6 * 8);
  EXPECT_EQ(lookup_work({{{"fp32", {1000, 4}}}, {}}).bytes, 0);
}

TEST(BytesMoved, AreUnknownWhereOneFormatIs) {
  EXPECT_EQ(bytes_moved({{{"fp32", {8}}, {"fp32", {8}}}, {{"fp32", {8}}}}), 96);
  EXPECT_EQ(bytes_moved({{{"fp32", {8}}, {"custom", {8}}}, {{"fp32", {8}}}}), 0);
}

}  // namespace
}  // namespace transformeter
