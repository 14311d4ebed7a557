// The devices of this machine, and why other known kinds of device are unavailable.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace transformeter {

struct DeviceList {
  /// As the setting `device` names them, the fastest kind first: "cuda:0", "cpu".
  std::vector<std::string> names;
  /// By the kind of device ("cuda", "rocm", "mps"): what is missing, and what to do.
  std::map<std::string, std::string> why_not;
  /// What each GPU is, by its name in the setting: "NVIDIA H100 80GB HBM3, driver for CUDA 13.0".
  std::map<std::string, std::string> descriptions;
  /// Precisions that every GPU here multiplies matrices in with units of their own; empty without a GPU.
  std::vector<std::string> native_gpu_precisions;
};

/// What is found when it is first asked for.
const DeviceList& devices_here();

}  // namespace transformeter
