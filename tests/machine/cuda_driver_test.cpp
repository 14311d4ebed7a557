// The driver's own library as a fake of known GPUs, and its absence.
#include "machine/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/fake_environment.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

constexpr const char* kLibrary = TRANSFORMETER_FAKE_CUDA;

TEST(CudaDriver, ListsTheGpusThatItShows) {
  const FakeEnvironment gpus("FAKE_GPUS", "2");
  const CudaDriverFinding finding = find_cuda_driver(kLibrary);
  ASSERT_TRUE(finding.driver) << finding.why_not;
  EXPECT_EQ(cuda_version_text(finding.driver->version), "13.0");
  ASSERT_EQ(finding.driver->gpus.size(), 2u);
  const CudaGpu& second = finding.driver->gpus[1];
  EXPECT_EQ(second.name, "Fake H100");
  EXPECT_EQ(second.pci_bus_id, "0000:3b:00.1");
  EXPECT_EQ(second.capability_major, 9);
  EXPECT_EQ(second.capability_minor, 0);
  EXPECT_EQ(second.total_bytes, std::size_t{80} << 30);
}

TEST(CudaDriver, SaysWhatIsMissing) {
  EXPECT_THAT(find_cuda_driver("libno-such-driver.so.1").why_not,
              testing::AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("libno-such-driver.so.1")));
  EXPECT_THAT(find_cuda_driver("libm.so.6").why_not, HasSubstr("is too old"));
  {
    const FakeEnvironment none("FAKE_GPUS", "0");
    EXPECT_THAT(find_cuda_driver(kLibrary).why_not, HasSubstr("CUDA_VISIBLE_DEVICES"));
  }
  const FakeEnvironment broken("FAKE_CUDA_INIT", "803");
  const CudaDriverFinding finding = find_cuda_driver(kLibrary);
  EXPECT_FALSE(finding.driver);
  EXPECT_THAT(finding.why_not, HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
}

TEST(CudaDriver, NamesVersionsAsNvidiaDoes) {
  EXPECT_EQ(cuda_version_text(12080), "12.8");
  EXPECT_EQ(cuda_version_text(13020), "13.2");
}

}  // namespace
}  // namespace transformeter
