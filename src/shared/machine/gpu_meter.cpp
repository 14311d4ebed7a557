// The bus id joins CUDA's number of a GPU, which CUDA_VISIBLE_DEVICES changes, with NVML's.
#include "machine/gpu_meter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

std::optional<int> cuda_ordinal(std::string_view device) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  const auto ordinal = parse_integer(device.substr(kPrefix.size()));
  return ordinal && *ordinal >= 0 ? std::optional(static_cast<int>(*ordinal)) : std::nullopt;
}

std::unique_ptr<GpuMeter> GpuMeter::open(int ordinal, std::string& why_not, const GpuLibraries& libraries) {
  const CudaDriverFinding cuda = find_cuda_driver(libraries.cuda);
  if (!cuda.driver) {
    why_not = cuda.why_not;
    return nullptr;
  }
  const auto index = static_cast<std::size_t>(ordinal);
  if (index >= cuda.driver->gpus.size()) {
    why_not = fmt::format("no cuda:{1}: CUDA shows {0} GPU(s)", cuda.driver->gpus.size(), ordinal);
    return nullptr;
  }
  auto nvml = Nvml::open(why_not, libraries.nvml);
  if (!nvml) {
    why_not = "no NVML: " + why_not;
    return nullptr;
  }
  std::string pci_bus_id = cuda.driver->gpus[index].pci_bus_id;
  try {
    GpuFacts facts = nvml->facts(pci_bus_id);
    return std::unique_ptr<GpuMeter>(new GpuMeter(std::move(nvml), std::move(pci_bus_id), std::move(facts)));
  } catch (const Error& error) {
    why_not = error.what();
    return nullptr;
  }
}

GpuSnapshot GpuMeter::snapshot() const {
  try {
    return {nvml_->read(pci_bus_id_), nvml_->processes(pci_bus_id_)};
  } catch (const Error&) {
    return {};
  }
}

std::optional<double> GpuMeter::counted_energy_j() const {
  try {
    return nvml_->counted_energy_j(pci_bus_id_);
  } catch (const Error&) {
    return std::nullopt;
  }
}

OtherGpuProcesses other_gpu_processes(const std::vector<GpuProcess>& processes, const std::vector<int>& own) {
  OtherGpuProcesses others;
  for (const GpuProcess& process : processes) {
    if (std::find(own.begin(), own.end(), process.pid) == own.end()) {
      others.processes.push_back(process);
    } else {
      others.lists_own = true;
    }
  }
  return others;
}

}  // namespace transformeter
