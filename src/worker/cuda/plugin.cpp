// The library's entry, and its mark.
#include <torch/headeronly/version.h>

#include "cuda/cuda_device.h"
#include "device/plugin.h"

namespace transformeter {
namespace {

class CudaPlugin final : public DevicePlugin {
 public:
  std::unique_ptr<Device> make(int ordinal) override { return make_cuda_device(ordinal); }
};

}  // namespace
}  // namespace transformeter

extern "C" {

/// Read from the file by whoever opens it.
extern const char kTransformeterPluginMark[];
const char kTransformeterPluginMark[] = TRANSFORMETER_PLUGIN_MARK TORCH_VERSION;

transformeter::DevicePlugin* transformeter_device_plugin() {
  static transformeter::CudaPlugin plugin;
  return &plugin;
}
}
