// The real command and worker on a GPU that the CPU computes for: a driver and a plug-in of known answers in place of
// NVIDIA's (tests/machine/fake_gpu, tests/device/fake_plugin.cpp), so that the whole path is driven without one.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <numeric>

#include "cli/shell.h"
#include "metrics/case_metrics.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class FakeGpuRun : public CommandTest {
 protected:
  void SetUp() override {
    use_real_worker();
    fs::create_symlink(TRANSFORMETER_FAKE_CUDA, folder_.path() / "libcuda.so.1");
  }

  ShellResult on_gpu(const std::string& command, const std::string& environment = "") const {
    return shell("export LD_LIBRARY_PATH=" + folder_.path().string() +
                 " TRANSFORMETER_CUDA_PLUGIN=" + TRANSFORMETER_FAKE_PLUGIN + " " + environment + "; $T " + command);
  }
  ShellResult run(const std::string& flags, const std::string& environment = "") const {
    return on_gpu("run --store r.db --samples 4 --model bert-tiny --device cuda " + flags, environment);
  }

  // Name of the attention kernel asked for to the case.
  static std::map<std::string, CaseRecord> by_attention(const RunRecord& run) {
    std::map<std::string, CaseRecord> cases;
    for (const CaseRecord& one : run.cases) cases[one.requested.at("attention")] = one;
    return cases;
  }
};

std::vector<double> values_of(const CaseRecord& one, const char* name) {
  const Series* series = find_series(one.replicates.at(0).series, name);
  return series == nullptr ? std::vector<double>{} : series->value;
}

TEST_F(FakeGpuRun, TimesByBothClocks) {
  const ShellResult result = run("--batch-size 2 --sequence-length 32 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  const CaseRecord& one = stored.cases.at(0);
  const std::vector<double> latency = values_of(one, "latency");
  const std::vector<double> device = values_of(one, "device_time");
  const std::vector<double> launch = values_of(one, "launch_time");
  ASSERT_EQ(device.size(), latency.size());
  ASSERT_EQ(launch.size(), latency.size());
  for (std::size_t i = 0; i < latency.size(); ++i) {
    // The fake's clock runs at a tenth, and handing over its work is doing it.
    EXPECT_NEAR(device[i], launch[i] / 10, launch[i] / 50);
    EXPECT_LE(launch[i], latency[i]);
  }
  const std::vector<double> back_to_back = values_of(one, "back_to_back");
  EXPECT_GE(back_to_back.size(), 1U);
  const Series* series = find_series(one.replicates.at(0).series, "back_to_back");
  EXPECT_EQ(series->useful_tokens.at(0) % (2 * 32), 0) << "whole cycles";

  const CaseAnalysis analysis = analyze_case(one);
  const MetricRow* own_clock = find_metric(analysis.metrics, "device_time", "median");
  const MetricRow* host_clock = find_metric(analysis.metrics, "latency", "median");
  ASSERT_TRUE(own_clock != nullptr && own_clock->value);
  EXPECT_LT(*own_clock->value, *host_clock->value / 5);
  EXPECT_GT(find_metric(analysis.metrics, "launch_share", "ratio")->value.value_or(0), 0.8);
  const double examples = std::accumulate(series->examples.begin(), series->examples.end(), 0.0);
  const double seconds = std::accumulate(back_to_back.begin(), back_to_back.end(), 0.0);
  EXPECT_NEAR(find_metric(analysis.metrics, "throughput_back_to_back_samples", "ratio")->value.value_or(0),
              examples / seconds, 1e-6 * examples / seconds);
  EXPECT_TRUE(std::any_of(analysis.verdict.notes.begin(), analysis.verdict.notes.end(),
                          [](const Finding& note) { return note.name == "launch_bound"; }));
}

TEST_F(FakeGpuRun, ReplaysWhatItRecordedAndTransfers) {
  const ShellResult result =
      run("--batch-size 2 --sequence-length natural --limit 6 --precision fp32 --graphs on,off --transfers on,off "
          "--engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 8U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const bool transfers = one.requested.at("transfers") == "on";
    EXPECT_EQ(one.effective.at("graphs"), one.requested.at("graphs"));
    EXPECT_EQ(one.effective.at("transfers"), one.requested.at("transfers"));
    EXPECT_EQ(one.effective.contains("graph_difference"), one.requested.at("graphs") == "on");
    EXPECT_EQ(one.effective.at("window").size(), transfers ? 3U : 1U);
    EXPECT_EQ(values_of(one, "host_to_device").size(), transfers ? values_of(one, "latency").size() : 0U);
    EXPECT_EQ(values_of(one, "device_to_host").size(), values_of(one, "host_to_device").size());
  }
}

TEST_F(FakeGpuRun, ForcesEachAttentionKernelAndReadsItBack) {
  const ShellResult result =
      run("--batch-size 3 --sequence-length natural --limit 6 --precision bf16 --batching packed "
          "--attention sdpa,eager,math,flash,memory_efficient,cudnn,flash_varlen");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  for (const auto& [asked, one] : by_attention(stored)) {
    SCOPED_TRACE(asked);
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    if (asked != "sdpa") {
      EXPECT_EQ(one.effective.at("attention_kernel"), asked);
    }
    const MetricRow* divergence = find_metric(analyze_case(one).metrics, "divergence", "");
    ASSERT_TRUE(divergence != nullptr && divergence->value) << "compared with the CPU's fp32";
    EXPECT_LT(*divergence->value, 0.3);
  }
}

TEST_F(FakeGpuRun, SaysWhatCannotComeTogether) {
  const ShellResult result = run(
      "--batch-size 1 --sequence-length 16 --precision fp32,bf16 --attention flash_varlen --batching padded,packed");
  EXPECT_EQ(result.exit_code, 0) << "one of the four runs";
  EXPECT_THAT(result.output, AllOf(HasSubstr("needs batching packed"), HasSubstr("need fp16 or bf16")));
  const ShellResult streams = run("--batch-size 2 --sequence-length 16 --precision fp32 --streams 2 --threads 2");
  EXPECT_THAT(streams.output, HasSubstr("on a GPU a batch is a single stream"));
  const ShellResult on_cpu = on_gpu(
      "run --store c.db --samples 12 --model bert-tiny --device cpu --batch-size 1 --sequence-length 16 "
      "--precision fp32,tf32 --graphs on,off --transfers on,off");
  EXPECT_EQ(on_cpu.exit_code, 0) << "one of the eight runs";
  EXPECT_THAT(on_cpu.output, AllOf(HasSubstr("graphs need CUDA"), HasSubstr("TF32")));
}

TEST_F(FakeGpuRun, NamesTf32WhereProductsMayRoundToIt) {
  const ShellResult result = run("--batch-size 1 --sequence-length 16 --precision fp32,tf32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  for (const CaseRecord& one : load().cases) {
    EXPECT_EQ(one.effective.at("precision"), one.requested.at("precision"));
  }
}

TEST_F(FakeGpuRun, TypesWhatTheGpuRefuses) {
  for (const auto& [fault, status, text] :
       {std::tuple{"memory", Status::kOutOfMemory, "out of memory"}, {"error", Status::kFailed, "CUDA error"}}) {
    SCOPED_TRACE(fault);
    const ShellResult result =
        run("--batch-size 1 --sequence-length 16 --precision fp32 --attention memory_efficient,eager",
            "FAKE_GPU_FAULT=" + std::string(fault));
    EXPECT_EQ(result.exit_code, status == Status::kFailed ? 1 : 0) << result.errors << result.output;
    const auto cases = by_attention(load());
    EXPECT_EQ(cases.at("memory_efficient").status, status);
    EXPECT_THAT(cases.at("memory_efficient").status_reason, HasSubstr(text));
    EXPECT_EQ(cases.at("eager").status, Status::kOk) << "a fresh worker";
    fs::remove(folder_.path() / "r.db");
  }
}

TEST_F(FakeGpuRun, WhatAKernelRefusesIsUnsupported) {
  const ShellResult result =
      run("--batch-size 1 --sequence-length 16 --precision fp16 --batching packed --attention "
          "memory_efficient,flash_varlen",
          "FAKE_GPU_FAULT=refusal");
  EXPECT_EQ(result.exit_code, 1) << "no case is ok";
  for (const auto& [attention, one] : by_attention(load())) {
    EXPECT_EQ(one.status, Status::kUnsupported) << attention;
    EXPECT_THAT(one.status_reason, HasSubstr("attention " + attention + ": FlashAttention only supports Ampere"));
  }
}

TEST_F(FakeGpuRun, MeasuresThePeaksOfTheGpu) {
  const ShellResult result = on_gpu("peaks --device cuda --precision fp32 --threads 1 --store r.db --format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json peaks = Json::parse(result.output);
  for (const Json& peak : peaks.is_array() ? peaks : peaks.at("peaks")) {
    EXPECT_EQ(peak.at("device"), "cuda:0");
    EXPECT_THAT(peak.at("runtime").get<std::string>(), HasSubstr("driver supports CUDA"));
    EXPECT_GT(peak.at("value").get<double>(), 0);
  }
}

// The fake's clock runs at a tenth: phases are by it, the step is by the host's.
// Its kernels are calls on the CPU, which CUPTI does not see.
TEST_F(FakeGpuRun, SaysWhyAProfileIsNone) {
  const std::string profile =
      "profile --store r.db --model bert-tiny --device cuda --batch-size 1 --sequence-length 16 ";
  const ShellResult result = on_gpu(profile);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("unsupported: LibTorch's profiler saw no kernel on the GPU"), HasSubstr("CUPTI")));
  EXPECT_THAT(on_gpu(profile + "--record memory").output,
              HasSubstr("the memory of device cuda:0 cannot be recorded yet; remove memory from --record"));
}

TEST_F(FakeGpuRun, TrainsWithPhasesByTheDevicesClock) {
  const ShellResult result = on_gpu(
      "train --store r.db --peaks off --samples 4 --model bert-test --batch-size 2 --sequence-length 16 --device cuda "
      "--precision fp32,bf16_autocast,fp16 --gradient-checkpointing off,on");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 6U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.effective.at("precision"), one.requested.at("precision"));
    EXPECT_EQ(one.effective.at("device"), "cuda:0");
    const std::vector<double> latency = values_of(one, "latency");
    const std::vector<double> backward = values_of(one, "backward_time");
    ASSERT_EQ(backward.size(), latency.size());
    for (std::size_t i = 0; i < latency.size(); ++i) {
      EXPECT_GT(backward[i], 0);
      EXPECT_LT(backward[i], latency[i] / 10);
    }
  }
}

}  // namespace
}  // namespace transformeter
