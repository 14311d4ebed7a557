// CUDA says which GPUs this process may use, NVML how they stand; the bus id joins both.
#include "machine/gpu_report.h"

#include <utility>

#include "base/error.h"

namespace transformeter {

GpuReport look_at_gpus(const SystemFiles& files, const GpuLibraries& libraries) {
  GpuReport report;
  report.kernel_module = files.text("sys/module/nvidia/version");
  CudaDriverFinding cuda = find_cuda_driver(libraries.cuda);
  report.why_no_cuda = std::move(cuda.why_not);
  const auto nvml = Nvml::open(report.why_no_nvml, libraries.nvml);
  if (!cuda.driver) return report;
  report.cuda_version = cuda.driver->version;
  for (CudaGpu& gpu : cuda.driver->gpus) {
    GpuState state;
    state.gpu = std::move(gpu);
    if (nvml) {
      try {
        state.facts = nvml->facts(state.gpu.pci_bus_id);
        state.reading = nvml->read(state.gpu.pci_bus_id);
        state.processes = nvml->processes(state.gpu.pci_bus_id);
      } catch (const Error& error) {
        report.why_no_nvml = error.what();
      }
    }
    report.gpus.push_back(std::move(state));
  }
  return report;
}

}  // namespace transformeter
