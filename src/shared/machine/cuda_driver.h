// Whether this machine has an NVIDIA driver, and which GPUs it shows this process: asked of the driver's own library,
// without CUDA's runtime or LibTorch.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace transformeter {

/// A GPU as CUDA counts them, which CUDA_VISIBLE_DEVICES may hide and reorder.
struct CudaGpu {
  std::string name;
  std::string pci_bus_id;  // "0000:3b:00.0", by which NVML knows it too
  int capability_major = 0;
  int capability_minor = 0;
  std::optional<std::size_t> total_bytes;
};

struct CudaDriver {
  int version = 0;  // the newest CUDA it runs, as 13000 for 13.0
  std::vector<CudaGpu> gpus;
};

/// 13000 to "13.0".
std::string cuda_version_text(int version);

struct CudaDriverFinding {
  std::optional<CudaDriver> driver;
  std::string why_not;  // where there is none: what is missing, and what to do
};

/// `name` is the driver's; tests give one of their own.
CudaDriverFinding find_cuda_driver(const std::string& name = "libcuda.so.1");

}  // namespace transformeter
