// /proc/cpuinfo of x86 and Arm.
#include "machine/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/fixture_tree.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

TEST(CpuDescription, ReadsAnXeon) {
  FixtureTree tree;
  tree.write("proc/cpuinfo", kXeonCpuinfo);
  const CpuDescription cpu = read_cpu_description(tree.files());
  EXPECT_EQ(cpu.model, "Intel(R) Xeon(R) Platinum 8488C");
  EXPECT_EQ(cpu.vendor, "GenuineIntel");
  EXPECT_EQ(cpu.family, 6);
  EXPECT_EQ(cpu.model_number, 143);
  EXPECT_EQ(cpu.stepping, 8);
  EXPECT_EQ(cpu.microcode, "0x2b000590");
  EXPECT_TRUE(cpu.hypervisor);
  EXPECT_TRUE(cpu.has("amx_int8"));
  EXPECT_FALSE(cpu.has("sve"));
  EXPECT_TRUE(has_native_bf16(cpu));
}

TEST(CpuDescription, NamesAnArmServerCoreByItsPartNumber) {
  FixtureTree tree;
  tree.write("proc/cpuinfo", kNeoverseCpuinfo);
  const CpuDescription cpu = read_cpu_description(tree.files());
  EXPECT_EQ(cpu.model, "Neoverse-V1");
  EXPECT_EQ(cpu.vendor, "ARM");
  EXPECT_EQ(cpu.family, std::nullopt);
  EXPECT_EQ(cpu.model_number, 0xd40);
  EXPECT_EQ(cpu.stepping, 1);
  EXPECT_THAT(cpu.features, ElementsAre("asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve"));
  EXPECT_TRUE(has_native_bf16(cpu));
}

TEST(CpuDescription, UnknownPartsHaveNoModelRatherThanAGuess) {
  FixtureTree tree;
  tree.write("proc/cpuinfo", "CPU implementer\t: 0x7f\nCPU part\t: 0x001\nFeatures\t: asimd i8mm\n");
  const CpuDescription cpu = read_cpu_description(tree.files());
  EXPECT_EQ(cpu.model, std::nullopt);
  EXPECT_EQ(cpu.vendor, std::nullopt);
  EXPECT_FALSE(has_native_bf16(cpu)) << "i8mm is for integers";
}

TEST(CpuDescription, WithoutCpuinfoTheFeaturesAreUnknownNotAbsent) {
  const FixtureTree tree;
  const CpuDescription cpu = read_cpu_description(tree.files());
  EXPECT_FALSE(cpu.features_known);
  EXPECT_EQ(cpu.model, std::nullopt);
}

TEST(NativeBf16, NeedsItsOwnInstructions) {
  CpuDescription cpu;
  cpu.features = {"avx512f", "avx512_vnni", "avx512_fp16"};
  EXPECT_FALSE(has_native_bf16(cpu));
  cpu.features = {"avx512_bf16"};
  EXPECT_TRUE(has_native_bf16(cpu));
  cpu.features = {"amx_bf16"};
  EXPECT_TRUE(has_native_bf16(cpu));
}

}  // namespace
}  // namespace transformeter
