// Whole runs on a device that the CPU computes for, with a driver, a management library and a plug-in of known answers.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class GpuRun : public CommandTest {
 protected:
  void SetUp() override {
    use_real_worker();
    fs::create_symlink(TRANSFORMETER_FAKE_CUDA, folder_.path() / "libcuda.so.1");
    fs::create_symlink(TRANSFORMETER_FAKE_NVML, folder_.path() / "libnvidia-ml.so.1");
  }

  // `state` is of the fake GPU, as "FAKE_PROCESSES=0".
  ShellResult run(const std::string& state, const std::string& flags, const std::string& precision = "fp32") const {
    return shell(std::string("export LD_LIBRARY_PATH=\"$PWD\" TRANSFORMETER_CUDA_PLUGIN=") + TRANSFORMETER_FAKE_PLUGIN +
                 " " + state +
                 "; $T run --model bert-tiny --batch-size 4 --sequence-length 16 --device cuda --engine pytorch "
                 "--reference off --store r.db --precision " +
                 precision + " " + flags);
  }

  // The only case of the only run, as `show` gives it.
  Json shown() const {
    const ShellResult result = shell("$T show --store r.db --format json");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output).at("runs").at(0).at("cases").at(0);
  }

  static Json metric(const Json& the_case, const std::string& name) {
    for (const Json& row : the_case.at("metrics")) {
      if (row.at("name") == name) return row;
    }
    ADD_FAILURE() << "no metric " << name;
    return Json::object();
  }

  static std::string finding(const Json& the_case, const char* kind, const std::string& name) {
    for (const Json& one : the_case.at("verdict").at(kind)) {
      if (one.at("name") == name) return one.at("detail");
    }
    return "(absent)";
  }
};

TEST_F(GpuRun, HasEnergyAndMemoryOfTheGpu) {
  const ShellResult result = run("FAKE_PROCESSES=0 FAKE_OWN=1 FAKE_ENERGY_PERIOD_US=200", "--samples 2000");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.errors, Not(HasSubstr("in use by other processes"))) << "its own process is not another process";
  const Json the_case = shown();
  const Json energy = metric(the_case, "energy");
  ASSERT_TRUE(energy.at("value").is_number()) << energy;
  EXPECT_EQ(energy.at("provenance"), "measured");
  // 300 W at any time, so what remains above the idle machine is rounding; see tests/metrics for a net figure.
  EXPECT_NEAR(metric(the_case, "power_mean").at("value").get<double>(), 300, 45);
  EXPECT_EQ(the_case.at("settings").at("effective").at("energy").at("counter"), "nvml");
  const RunRecord stored = load();
  const std::vector<Series>& series = stored.cases.at(0).replicates.at(0).series;
  ASSERT_NE(find_series(series, "idle_power"), nullptr);
  EXPECT_NEAR(find_series(series, "idle_power")->value.at(0), 300, 45);
  EXPECT_LT(find_series(series, "energy_counter_period")->value.at(0), 0.05) << "a look every millisecond";
  const double per_example = find_series(series, "energy_counted")->value.at(0) / (4 * 2000);
  EXPECT_NEAR(energy.at("value").get<double>(), per_example, 1e-9);

  EXPECT_EQ(metric(the_case, "device_process_memory").at("value"), 3 << 20);
  EXPECT_EQ(metric(the_case, "peak_reserved").at("value"), 2 << 20);
  EXPECT_THAT(finding(the_case, "reasons", "throttled"), Not(HasSubstr("GPU")));
  EXPECT_EQ(find_series(series, "gpu_other_processes")->value.at(0), 0);
  EXPECT_EQ(find_series(series, "sm_clock_after")->value.at(0), 1755e6);
}

TEST_F(GpuRun, IsDoubtfulOnAHotGpuThatOthersUse) {
  const ShellResult result =
      run("FAKE_PROCESSES=1 FAKE_OWN=1 FAKE_VIOLATION=thermal FAKE_ENERGY_PERIOD_US=100000", "--samples 2 --threads 1");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.errors, HasSubstr("GPU cuda:0 (Fake H100) is in use by other processes: process 100 (1.00 MiB)"));
  const Json the_case = shown();
  EXPECT_EQ(the_case.at("verdict").at("status"), "doubtful");
  EXPECT_THAT(finding(the_case, "reasons", "throttled"), HasSubstr("its temperature throttled the GPU"));
  EXPECT_THAT(finding(the_case, "reasons", "foreign_load"), HasSubstr("1 other process(es) on the GPU with 1.00 MiB"));
  EXPECT_EQ(the_case.at("settings").at("effective").at("gpu").at("other_processes").at(0).at("pid"), 100);
  const Json energy = metric(the_case, "energy");
  EXPECT_TRUE(energy.at("value").is_null())
      << "milliseconds of a counter that is updated every 100, and far from 5 s on a loaded machine";
  EXPECT_THAT(energy.at("reason").get<std::string>(), HasSubstr("updates of the energy counter"));
}

TEST_F(GpuRun, SaysWhatAContainerHides) {
  ASSERT_EQ(run("FAKE_PROCESSES=1", "--samples 12").exit_code, 0);
  const Json the_case = shown();
  EXPECT_THAT(metric(the_case, "device_process_memory").at("reason").get<std::string>(),
              HasSubstr("is not among the 1 that NVML lists"));
  EXPECT_THAT(finding(the_case, "reasons", "foreign_load"), Not(HasSubstr("on the GPU")))
      << "the one may be the worker itself";
  EXPECT_THAT(metric(the_case, "energy").at("reason").get<std::string>(), HasSubstr("changed too rarely"));
}

TEST_F(GpuRun, ProductsInAnotherFormatThanAskedForMakeACaseInvalid) {
  ASSERT_EQ(run("FAKE_PROCESSES=0", "--samples 1 --warmup 1", "bf16").exit_code, 0);
  const Json right = shown();
  EXPECT_EQ(right.at("settings").at("effective").at("linear_types").at(0).at("weight"), "bf16");
  EXPECT_EQ(finding(right, "reasons", "wrong_precision"), "(absent)");
  const std::string wrong = (binary_directory() / "bin/transformeter-wrong-worker").string();
  ASSERT_EQ(
      run("FAKE_PROCESSES=0 TRANSFORMETER_FAULT=fp32_products", "--samples 1 --warmup 1 --worker " + wrong, "bf16")
          .exit_code,
      0);
  const Json the_case = shown();
  EXPECT_THAT(finding(the_case, "reasons", "wrong_precision"), HasSubstr("had fp32 inputs and fp32 weights"));
  EXPECT_EQ(the_case.at("verdict").at("status"), "invalid");
}

TEST_F(GpuRun, RefusesABusyGpuWhenAsked) {
  const ShellResult busy = run("FAKE_PROCESSES=2", "--samples 12 --busy-gpu error");
  EXPECT_EQ(busy.exit_code, 3);
  EXPECT_THAT(busy.errors, HasSubstr("process 100 (1.00 MiB), process 101"));
  EXPECT_THAT(busy.errors, HasSubstr("accept them with --busy-gpu warn"));
  EXPECT_FALSE(fs::exists(folder_.path() / "r.db")) << "nothing was measured";
  EXPECT_EQ(run("FAKE_PROCESSES=0", "--samples 12 --busy-gpu error").exit_code, 0);
}

}  // namespace
}  // namespace transformeter
