// The GPUs of this machine as they stand now: what CUDA and NVML each say of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cuda_driver.h"
#include "machine/nvml.h"
#include "machine/system_files.h"

namespace transformeter {

struct GpuState {
  CudaGpu gpu;
  GpuFacts facts;
  GpuReading reading;
  std::optional<std::vector<GpuProcess>> processes;  // nothing: NVML does not tell
};

struct GpuReport {
  std::optional<std::string> kernel_module;  // version of NVIDIA's; nothing: not loaded
  std::optional<int> cuda_version;           // the driver's, as 13000
  std::string why_no_cuda;                   // where no GPU can be used
  std::string why_no_nvml;                   // where NVML does not answer
  std::vector<GpuState> gpus;                // as CUDA counts them
};

struct GpuLibraries {
  std::string cuda = "libcuda.so.1";
  std::string nvml = "libnvidia-ml.so.1";
};

/// Never throws for what is missing: that is in the report.
GpuReport look_at_gpus(const SystemFiles& files = SystemFiles(), const GpuLibraries& libraries = {});

}  // namespace transformeter
