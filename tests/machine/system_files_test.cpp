// Reading kernel text files: fields, units and absence; CPU lists.
#include "machine/system_files.h"

#include <gtest/gtest.h>

#include "machine/cpu_list.h"
#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

TEST(SystemFiles, MissingAndEmptyFilesAreNothing) {
  FixtureTree tree;
  tree.write("sys/empty", "\n").write("sys/number", "42\n").write("sys/word", "42 apples\n");
  EXPECT_EQ(tree.files().text("sys/absent"), std::nullopt);
  EXPECT_EQ(tree.files().text("sys/empty"), std::nullopt);
  EXPECT_EQ(tree.files().integer("sys/number"), 42);
  EXPECT_EQ(tree.files().integer("sys/word"), std::nullopt);
  EXPECT_EQ(tree.files().list("sys"), (std::vector<std::string>{"empty", "number", "word"}));
  EXPECT_TRUE(tree.files().list("sys/absent").empty());
}

TEST(FieldOf, TakesTheWholeKeyInEveryNotationOfTheKernel) {
  EXPECT_EQ(field_of("model\t\t: 85\nmodel name\t: A B\n", "model"), "85");
  EXPECT_EQ(field_of("model\t\t: 85\nmodel name\t: A B\n", "model name"), "A B");
  EXPECT_EQ(field_of("nr_throttled 3\n", "nr_throttled"), "3");
  EXPECT_EQ(field_of("VERSION_ID=\"12\"\nID=debian", "ID"), "debian");
  EXPECT_EQ(field_of("VmRSSX: 1 kB", "VmRSS"), std::nullopt);
}

TEST(FieldOf, DoesNotTakeALongerKeyForItsFirstWord) {
  EXPECT_EQ(field_of("model name\t: A B\nmodel\t: 85\n", "model"), "85");
}

TEST(BytesField, CountsTheKernelsKilobytesAs1024AndRefusesOtherUnits) {
  EXPECT_EQ(bytes_field("VmHWM:\t    1684 kB\n", "VmHWM"), 1684 * 1024);
  EXPECT_EQ(bytes_field("VmHWM:\t    1684 MB\n", "VmHWM"), std::nullopt);
  EXPECT_EQ(bytes_field("HugePages_Total:       7\n", "HugePages_Total"), std::nullopt);
  EXPECT_EQ(count_field("HugePages_Total:       7\n", "HugePages_Total"), 7);
}

TEST(CpuList, ReadsAndWritesRangesAndSingles) {
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  EXPECT_EQ(format_cpu_list({0, 1, 2, 8}), "0-2,8");
  EXPECT_EQ(format_cpu_list({}), "");
}

TEST(CpuList, RefusesOtherForms) {
  for (const char* bad : {"a", "3-1", "1-2-3", "-1", "0,", "0-99999999999"}) {
    EXPECT_EQ(parse_cpu_list(bad), std::nullopt) << bad;
  }
}

TEST(AllowedCpus, ThisProcessMayRunSomewhere) {
  const auto cpus = allowed_cpus();
  ASSERT_TRUE(cpus.has_value());
  EXPECT_FALSE(cpus->empty());
}

}  // namespace
}  // namespace transformeter
