// The management library as a fake of known state.
#include "machine/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/fake_environment.h"
#include "machine/gpu_report.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

constexpr const char* kGpu = "0000:3b:00.0";

std::unique_ptr<Nvml> fake() {
  std::string why_not;
  auto nvml = Nvml::open(why_not, TRANSFORMETER_FAKE_NVML);
  EXPECT_NE(nvml, nullptr) << why_not;
  return nvml;
}

TEST(NvmlReadings, ComeInBaseUnits) {
  const auto nvml = fake();
  EXPECT_EQ(nvml->driver_version(), "580.65.06");
  const GpuFacts facts = nvml->facts(kGpu);
  EXPECT_EQ(facts.name, "Fake H100");
  EXPECT_EQ(facts.uuid, "GPU-fake");
  EXPECT_EQ(facts.total_bytes, std::int64_t{80} << 30);
  EXPECT_EQ(facts.power_limit_w, 700.0);
  EXPECT_EQ(facts.max_sm_clock_hz, 1980e6);
  EXPECT_EQ(facts.mig, false);
  EXPECT_EQ(facts.compute_mode, "default");
  const GpuReading reading = nvml->read(kGpu);
  EXPECT_EQ(reading.utilization, 0.25);
  EXPECT_EQ(reading.memory_utilization, 0.1);
  EXPECT_EQ(reading.sm_clock_hz, 1755e6);
  EXPECT_EQ(reading.memory_clock_hz, 2619e6);
  EXPECT_DOUBLE_EQ(reading.power_w.value(), 345.678);
  EXPECT_DOUBLE_EQ(reading.energy_j.value(), 12345.678);
  EXPECT_EQ(nvml->counted_energy_j(kGpu), reading.energy_j);
  EXPECT_DOUBLE_EQ(reading.power_violation_s.value(), 1.5);
  EXPECT_DOUBLE_EQ(reading.thermal_violation_s.value(), 1.5);
  EXPECT_EQ(reading.temperature_c, 41.0);
  EXPECT_EQ(reading.used_bytes, std::int64_t{1} << 30);
  ASSERT_TRUE(reading.throttling);
  EXPECT_FALSE(reading.throttling->any()) << "idle is no throttling";
}

TEST(NvmlReadings, TellWhyAGpuIsSlow) {
  const auto nvml = fake();
  {
    const FakeEnvironment hot("FAKE_THROTTLING", "thermal");
    const GpuThrottling throttling = nvml->read(kGpu).throttling.value();
    EXPECT_TRUE(throttling.thermal);
    EXPECT_FALSE(throttling.hardware) << "a slowdown that is said to be thermal";
  }
  // A driver from before CUDA 12.2 has the older name alone, and some GPUs count no energy.
  const FakeEnvironment old("FAKE_NVML", "old");
  const GpuReading reading = nvml->read(kGpu);
  EXPECT_TRUE(reading.throttling.value().power);
  EXPECT_TRUE(reading.throttling->hardware);
  EXPECT_EQ(reading.energy_j, std::nullopt);
  EXPECT_EQ(reading.thermal_violation_s, std::nullopt);
}

TEST(NvmlReadings, ListWhoElseIsThere) {
  const auto nvml = fake();
  const auto two = nvml->processes(kGpu).value();
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].pid, 100);
  EXPECT_EQ(two[0].memory_bytes, 1 << 20);
  EXPECT_EQ(two[1].memory_bytes, std::nullopt) << "NVML does not say";
  const FakeEnvironment many("FAKE_PROCESSES", "40");
  EXPECT_EQ(nvml->processes(kGpu).value().size(), 40u);
}

TEST(NvmlReadings, OfAnUnknownGpuAreAnError) {
  EXPECT_THROW(fake()->read("0000:99:00.0"), Error);
}

TEST(NvmlLibrary, SaysWhyItDoesNotOpen) {
  std::string why_not;
  EXPECT_EQ(Nvml::open(why_not, "libno-such-nvml.so.1"), nullptr);
  EXPECT_THAT(why_not, HasSubstr("libno-such-nvml.so.1"));
  EXPECT_EQ(Nvml::open(why_not, "libm.so.6"), nullptr);
  EXPECT_THAT(why_not, HasSubstr("too old"));
  const FakeEnvironment broken("FAKE_NVML", "broken");
  EXPECT_EQ(Nvml::open(why_not, TRANSFORMETER_FAKE_NVML), nullptr);
  EXPECT_THAT(why_not, HasSubstr("Driver Not Loaded"));
}

TEST(GpuReport, JoinsDriverAndManagementByTheBus) {
  const GpuLibraries libraries{TRANSFORMETER_FAKE_CUDA, TRANSFORMETER_FAKE_NVML};
  const GpuReport report = look_at_gpus(SystemFiles(), libraries);
  EXPECT_EQ(report.cuda_version, 13000);
  ASSERT_EQ(report.gpus.size(), 1u);
  EXPECT_EQ(report.gpus[0].gpu.name, "Fake H100");
  EXPECT_EQ(report.gpus[0].facts.uuid, "GPU-fake");
  EXPECT_EQ(report.gpus[0].processes.value().size(), 2u);
}

TEST(GpuReport, IsWholeWithoutEither) {
  const GpuReport none = look_at_gpus(SystemFiles(), {"libno-such.so.1", "libno-such.so.1"});
  EXPECT_TRUE(none.gpus.empty());
  EXPECT_THAT(none.why_no_cuda, HasSubstr("no NVIDIA driver"));
  const GpuReport blind = look_at_gpus(SystemFiles(), {TRANSFORMETER_FAKE_CUDA, "libno-such.so.1"});
  ASSERT_EQ(blind.gpus.size(), 1u);
  EXPECT_THAT(blind.why_no_nvml, HasSubstr("libno-such.so.1"));
}

}  // namespace
}  // namespace transformeter
