// What a GPU's state means for measuring.
#include "doctor/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr pid_t kOwn = 7;

GpuReport one_gpu() {
  GpuReport report;
  report.kernel_module = "580.65.06";
  report.cuda_version = 13000;
  GpuState state;
  state.gpu = {"Fake H100", "0000:3b:00.0", 9, 0, std::size_t{80} << 30};
  state.processes = std::vector<GpuProcess>{{kOwn, std::nullopt}};
  report.gpus.push_back(state);
  return report;
}

Check only(const GpuReport& report) {
  const Checks all = check_gpus(report, kOwn);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

TEST(CheckGpus, TakesAMachineWithoutADriverAsWhole) {
  EXPECT_EQ(only(GpuReport()).level, CheckLevel::kOk);
  GpuReport hidden;
  hidden.kernel_module = "580.65.06";
  hidden.why_no_cuda = "no NVIDIA driver: libcuda.so.1: cannot open";
  const Check one = only(hidden);
  EXPECT_EQ(one.level, CheckLevel::kLimited);
  EXPECT_THAT(one.state, HasSubstr("libcuda.so.1"));
  EXPECT_THAT(one.advice, HasSubstr("--gpus all"));
}

TEST(CheckGpus, DescribesAGpuThatIsFree) {
  const Check one = only(one_gpu());
  EXPECT_EQ(one.level, CheckLevel::kOk);
  EXPECT_EQ(one.what, "GPU cuda:0");
  EXPECT_THAT(one.state, AllOf(HasSubstr("Fake H100, 80.0 GiB"), HasSubstr("capability 9.0"),
                               HasSubstr("driver 580.65.06 (CUDA 13.0)")));
  EXPECT_EQ(one.advice, "");
}

TEST(CheckGpus, WarnsOfWhatMakesFiguresDoubtful) {
  GpuReport shared = one_gpu();
  shared.gpus[0].processes->push_back({99, std::nullopt});
  EXPECT_THAT(only(shared).state, HasSubstr("1 other process"));
  GpuReport cut = one_gpu();
  cut.gpus[0].facts.mig = true;
  EXPECT_THAT(only(cut).state, HasSubstr("MIG"));
  GpuReport exclusive = one_gpu();
  exclusive.gpus[0].facts.compute_mode = "exclusive_process";
  EXPECT_THAT(only(exclusive).advice, HasSubstr("nvidia-smi -c DEFAULT"));
  GpuReport hot = one_gpu();
  hot.gpus[0].reading.throttling = GpuThrottling{0x40, true, false, false};
  EXPECT_THAT(only(hot).state, HasSubstr("throttled"));
  GpuReport blind = one_gpu();
  blind.why_no_nvml = "libnvidia-ml.so.1: cannot open";
  EXPECT_THAT(only(blind).advice, HasSubstr("libnvidia-ml1"));
  for (const GpuReport& report : {shared, cut, exclusive, hot, blind}) {
    EXPECT_EQ(only(report).level, CheckLevel::kLimited);
  }
}

}  // namespace
}  // namespace transformeter
