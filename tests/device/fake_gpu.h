// A GPU that the CPU computes for. Its clock runs at a tenth of the host's, so that device times are told from host
// times; what it records it runs again.
#pragma once

#include <ATen/ops/empty_like.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <memory>
#include <string>

#include "device/device.h"

namespace transformeter {

class FakeTimer final : public DeviceTimer {
 public:
  void start() override { start_ = HostClock::now(); }
  void stop() override { stop_ = HostClock::now(); }
  double elapsed_s() override { return std::chrono::duration<double>(stop_ - start_).count() / 10; }

 private:
  using HostClock = std::chrono::steady_clock;
  HostClock::time_point start_, stop_;
};

class FakeRecordedWork final : public RecordedWork {
 public:
  explicit FakeRecordedWork(std::function<void()> work) : work_(std::move(work)) { work_(); }
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

class FakeGpu : public Device {
 public:
  explicit FakeGpu(int ordinal) : name_("cuda:" + std::to_string(ordinal)) {}
  std::string name() const override { return name_; }
  c10::Device torch_device() const override { return c10::Device(c10::kCPU); }
  std::string place_of(const at::Tensor& tensor) const override { return tensor.is_cpu() ? name_ : "elsewhere"; }
  Json facts() const override {
    return {{"name", "Fake H100"}, {"compute_capability", "9.0"}, {"l2_cache_bytes", 1 << 20}};
  }
  void synchronize() override { refuse_while_recording(); }
  void reset_peak_allocated() override {}
  std::int64_t peak_allocated_bytes() const override { return 1 << 20; }
  std::optional<std::int64_t> peak_reserved_bytes() const override { return 2 << 20; }
  at::Tensor host_memory(const at::Tensor& like) override {
    refuse_while_recording();
    return at::empty_like(like);
  }
  std::unique_ptr<DeviceTimer> make_timer() override { return std::make_unique<FakeTimer>(); }
  std::unique_ptr<RecordedWork> record(const std::function<void()>& work) override {
    is_recording_ = true;
    auto recorded = std::make_unique<FakeRecordedWork>(work);
    is_recording_ = false;
    return recorded;
  }

 private:
  // As a stream that is captured does.
  void refuse_while_recording() const {
    TORCH_CHECK(!is_recording_, "CUDA error: operation not permitted when stream is capturing");
  }

  std::string name_;
  bool is_recording_ = false;
};

}  // namespace transformeter
