// The CPU is always there; a GPU is where its driver shows one and the plug-in for it opens.
#include "device/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "device/cpu_device.h"
#include "device/device.h"
#include "device/plugin_loader.h"
#include "machine/cuda_driver.h"

namespace transformeter {
namespace {

struct Found {
  DeviceList list;
  DevicePlugin* cuda = nullptr;
};

// Tensor units came for fp16 with compute capability 7.0, for bf16 and TF32 with 8.0.
std::vector<std::string> native_precisions(const std::vector<CudaGpu>& gpus) {
  const auto all_have = [&](int major) {
    return std::all_of(gpus.begin(), gpus.end(), [&](const CudaGpu& gpu) { return gpu.capability_major >= major; });
  };
  std::vector<std::string> native{"fp32"};
  if (all_have(7)) native.emplace_back("fp16");
  if (all_have(8)) native.insert(native.end(), {"bf16", "tf32"});
  return native;
}

Found find_devices() {
  Found found;
  DeviceList& list = found.list;
  const CudaDriverFinding driver = find_cuda_driver();
  std::string why_not = driver.why_not;
  if (driver.driver) found.cuda = open_plugin<PluginEntry>(kCudaPlugin, plugin_path(kCudaPlugin), why_not);
  if (found.cuda != nullptr) {
    for (const CudaGpu& gpu : driver.driver->gpus) {
      list.names.push_back(fmt::format("cuda:{}", list.names.size()));
      list.descriptions[list.names.back()] =
          fmt::format("{}, driver supports CUDA {}", gpu.name, cuda_version_text(driver.driver->version));
    }
    list.native_gpu_precisions = native_precisions(driver.driver->gpus);
    list.why_not["cuda"] = fmt::format("this machine has {} GPU(s)", list.names.size());
  } else {
    list.why_not["cuda"] = why_not;
  }
  list.why_not["rocm"] = "this LibTorch has no ROCm support, which AMD GPUs need";
  list.why_not["mps"] = "Apple GPUs need macOS, which this program does not support";
  list.names.emplace_back("cpu");
  return found;
}

const Found& found() {
  static const Found kFound = find_devices();
  return kFound;
}

}  // namespace

const DeviceList& devices_here() {
  return found().list;
}

std::unique_ptr<Device> make_device(const std::string& name) {
  const DeviceList& here = devices_here();
  if (name == "cpu") return make_cpu_device();
  if (std::find(here.names.begin(), here.names.end(), name) != here.names.end()) {
    return found().cuda->make(std::stoi(name.substr(name.find(':') + 1)));
  }
  const auto reason = here.why_not.find(name.substr(0, name.find(':')));
  throw Error(ErrorKind::kUnsupported,
              fmt::format("device '{}' is not available; this worker has {}{}", name, fmt::join(here.names, ", "),
                          reason == here.why_not.end() ? "" : ": " + reason->second));
}

}  // namespace transformeter
