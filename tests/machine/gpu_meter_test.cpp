// One GPU of the fake driver and management library.
#include "machine/gpu_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/fake_environment.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

const GpuLibraries kFakes{TRANSFORMETER_FAKE_CUDA, TRANSFORMETER_FAKE_NVML};

TEST(CudaOrdinal, IsOfGpusOfCudaOnly) {
  EXPECT_EQ(cuda_ordinal("cuda:0"), 0);
  EXPECT_EQ(cuda_ordinal("cuda:12"), 12);
  for (const char* device : {"cpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "mps"}) {
    EXPECT_EQ(cuda_ordinal(device), std::nullopt) << device;
  }
}

TEST(GpuMeter, ReadsTheGpuThatCudaCountsSo) {
  const FakeEnvironment two("FAKE_GPUS", "2");
  std::string why_not;
  const auto gpu = GpuMeter::open(1, why_not, kFakes);
  ASSERT_NE(gpu, nullptr) << why_not;
  EXPECT_EQ(gpu->pci_bus_id(), "0000:3b:00.1");
  EXPECT_EQ(gpu->facts().name, "Fake H100");
  const GpuSnapshot snapshot = gpu->snapshot();
  EXPECT_EQ(snapshot.reading.sm_clock_hz, 1755e6);
  EXPECT_EQ(snapshot.processes.value().size(), 2u);
  EXPECT_DOUBLE_EQ(gpu->counted_energy_j().value(), 12345.678);
}

TEST(GpuMeter, SaysWhyThereIsNone) {
  std::string why_not;
  EXPECT_EQ(GpuMeter::open(3, why_not, kFakes), nullptr);
  EXPECT_THAT(why_not, HasSubstr("no cuda:3: CUDA shows 1 GPU(s)"));
  EXPECT_EQ(GpuMeter::open(0, why_not, {TRANSFORMETER_FAKE_CUDA, "libno-such.so.1"}), nullptr);
  EXPECT_THAT(why_not, HasSubstr("no NVML"));
  EXPECT_EQ(GpuMeter::open(0, why_not, {"libno-such.so.1", TRANSFORMETER_FAKE_NVML}), nullptr);
  EXPECT_THAT(why_not, HasSubstr("no NVIDIA driver"));
}

TEST(OtherGpuProcesses, IsWhoIsNotOurs) {
  const std::vector<GpuProcess> processes{{7, 1 << 20}, {8, std::nullopt}, {9, 5}};
  const OtherGpuProcesses others = other_gpu_processes(processes, {9, 4});
  EXPECT_TRUE(others.lists_own);
  ASSERT_EQ(others.processes.size(), 2u);
  EXPECT_EQ(others.processes[1].pid, 8);
  EXPECT_FALSE(other_gpu_processes(processes, {4}).lists_own);
}

}  // namespace
}  // namespace transformeter
