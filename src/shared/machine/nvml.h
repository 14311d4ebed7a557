// NVIDIA's management library (NVML), opened only where it is there: what a GPU does now, who else is on it, and how
// much energy it has taken. No call here is made inside a timed window unless its cost is stated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transformeter {

/// Why a GPU runs below its clocks now, as NVML tells; idle and what the user set are no throttling.
struct GpuThrottling {
  std::uint64_t bits = 0;  // as NVML gives them
  bool thermal = false;
  bool power = false;
  bool hardware = false;  // power brake, or a slowdown that is not said to be thermal
  bool any() const { return thermal || power || hardware; }
};

/// From the bits by which NVML gives its reasons.
GpuThrottling gpu_throttling(std::uint64_t bits);

/// A process with memory on the GPU. In a container NVML may give the host's process numbers.
struct GpuProcess {
  int pid = 0;
  std::optional<std::int64_t> memory_bytes;
};

/// What NVML reads at one time; what this GPU or this container does not give is nothing.
struct GpuReading {
  std::optional<double> utilization;         // share of the last sampling period in which a kernel ran, 0 to 1
  std::optional<double> memory_utilization;  // likewise, in which memory was read or written
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  std::optional<double> energy_j;  // counted since the driver was loaded
  std::optional<double> temperature_c;
  std::optional<std::int64_t> used_bytes;
  std::optional<GpuThrottling> throttling;
  /// How long the power limit, or heat, has held the GPU below its application clocks, counted as the energy is.
  std::optional<double> power_violation_s;
  std::optional<double> thermal_violation_s;
};

/// What stays as it is while a case runs.
struct GpuFacts {
  std::string name;
  std::string uuid;
  std::optional<std::int64_t> total_bytes;
  std::optional<double> power_limit_w;
  std::optional<double> max_sm_clock_hz;
  std::optional<double> max_memory_clock_hz;
  std::optional<bool> mig;                  // cut into instances
  std::optional<std::string> compute_mode;  // "default", "exclusive_process", "prohibited"
};

class Nvml {
 public:
  /// Opened and started; nothing, and why, where it is not there. `name` is NVML's; tests give one of their own.
  static std::unique_ptr<Nvml> open(std::string& why_not, const std::string& name = "libnvidia-ml.so.1");
  virtual ~Nvml() = default;

  virtual std::string driver_version() const = 0;
  /// Of the GPU with that bus id, as the CUDA driver writes it. Throws Error(kEnvironment) where NVML knows none.
  virtual GpuFacts facts(const std::string& pci_bus_id) const = 0;
  virtual GpuReading read(const std::string& pci_bus_id) const = 0;
  /// Processes that compute on it; nothing where NVML does not tell.
  virtual std::optional<std::vector<GpuProcess>> processes(const std::string& pci_bus_id) const = 0;
  /// As `energy_j` of a reading, which asks for much else.
  virtual std::optional<double> counted_energy_j(const std::string& pci_bus_id) const = 0;
};

}  // namespace transformeter
