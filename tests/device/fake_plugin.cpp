// A GPU that the CPU computes for: what a test opens in place of the CUDA plug-in. Its clock runs at a tenth of the
// host's, so that device times are told from host times; it records no work.
#include <torch/headeronly/version.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "device/plugin.h"

namespace transformeter {
namespace {

using HostClock = std::chrono::steady_clock;

class FakeTimer final : public DeviceTimer {
 public:
  void start() override { start_ = HostClock::now(); }
  void stop() override { stop_ = HostClock::now(); }
  double elapsed_s() override { return std::chrono::duration<double>(stop_ - start_).count() / 10; }

 private:
  HostClock::time_point start_, stop_;
};

class FakeGpu final : public Device {
 public:
  explicit FakeGpu(int ordinal) : name_("cuda:" + std::to_string(ordinal)) {}
  std::string name() const override { return name_; }
  c10::Device torch_device() const override { return c10::Device(c10::kCPU); }
  std::string place_of(const at::Tensor& tensor) const override { return tensor.is_cpu() ? name_ : "elsewhere"; }
  Json facts() const override { return {{"name", "Fake H100"}, {"compute_capability", "9.0"}}; }
  void synchronize() override {}
  void reset_peak_allocated() override {}
  std::int64_t peak_allocated_bytes() const override { return 1 << 20; }
  std::optional<std::int64_t> peak_reserved_bytes() const override { return 2 << 20; }
  std::unique_ptr<DeviceTimer> make_timer() override { return std::make_unique<FakeTimer>(); }

 private:
  std::string name_;
};

class FakePlugin final : public DevicePlugin {
 public:
  std::unique_ptr<Device> make(int ordinal) override { return std::make_unique<FakeGpu>(ordinal); }
};

}  // namespace
}  // namespace transformeter

extern "C" {
extern const char kTransformeterPluginMark[];
#ifdef FAKE_LIBTORCH
const char kTransformeterPluginMark[] = TRANSFORMETER_PLUGIN_MARK FAKE_LIBTORCH;
#else
const char kTransformeterPluginMark[] = TRANSFORMETER_PLUGIN_MARK TORCH_VERSION;
#endif
transformeter::DevicePlugin& transformeter_device_plugin() {
  static transformeter::FakePlugin plugin;
  return plugin;
}
}
