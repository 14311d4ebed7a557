// One GPU, named by CUDA's number of it and read through NVML: what a run looks at before and after its timed window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/gpu_report.h"
#include "machine/nvml.h"

namespace transformeter {

/// 1 of "cuda:1"; nothing for anything but a CUDA GPU.
std::optional<int> cuda_ordinal(std::string_view device);

/// A GPU at one time; what cannot be read, as after it fell off its bus, is nothing.
struct GpuSnapshot {
  GpuReading reading;
  std::optional<std::vector<GpuProcess>> processes;
};

class GpuMeter {
 public:
  /// Of the GPU that CUDA counts as `ordinal`; nothing, and why, where driver, GPU or NVML are not there.
  static std::unique_ptr<GpuMeter> open(int ordinal, std::string& why_not, const GpuLibraries& libraries = {});

  const GpuFacts& facts() const { return facts_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }
  /// Takes up to some milliseconds.
  GpuSnapshot snapshot() const;
  std::optional<double> counted_energy_j() const;

 private:
  GpuMeter(std::unique_ptr<Nvml> nvml, std::string pci_bus_id, GpuFacts facts)
      : nvml_(std::move(nvml)), pci_bus_id_(std::move(pci_bus_id)), facts_(std::move(facts)) {}

  std::unique_ptr<Nvml> nvml_;
  std::string pci_bus_id_;
  GpuFacts facts_;
};

/// The processes on a GPU other than `own`.
struct OtherGpuProcesses {
  std::vector<GpuProcess> processes;
  bool lists_own = false;
};
OtherGpuProcesses other_gpu_processes(const std::vector<GpuProcess>& processes, const std::vector<int>& own);

}  // namespace transformeter
