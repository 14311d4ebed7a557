// NVML's functions and structures as NVIDIA documents them ("NVML API Reference Guide"); only those that are read.
#include "machine/nvml.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "machine/loaded_library.h"

namespace transformeter {
namespace {

constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;
constexpr int kPowerPolicy = 0;
constexpr int kThermalPolicy = 1;
constexpr unsigned long long kUnknownMemory = ~0ULL;

// nvmlClocksEventReason…, formerly nvmlClocksThrottleReason….
constexpr unsigned long long kSoftwarePowerCap = 0x4;
constexpr unsigned long long kHardwareSlowdown = 0x8;
constexpr unsigned long long kSoftwareThermal = 0x20;
constexpr unsigned long long kHardwareThermal = 0x40;
constexpr unsigned long long kHardwarePowerBrake = 0x80;

using Handle = void*;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct ViolationTime {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

// The value that `call` writes; nothing where it fails or is not there.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> value_of(Function* call, Arguments... arguments) {
  Value value{};
  if (call == nullptr || call(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

template <typename To, typename From>
std::optional<To> scaled(const std::optional<From>& value, double factor) {
  if (!value) return std::nullopt;
  return static_cast<To>(static_cast<double>(*value) * factor);
}

std::string compute_mode_name(int mode) {
  constexpr std::array kNames{"default", "exclusive_thread", "prohibited", "exclusive_process"};
  const auto index = static_cast<std::size_t>(mode);
  return index < kNames.size() ? kNames.at(index) : fmt::format("mode {}", mode);
}

class LoadedNvml final : public Nvml {
 public:
  explicit LoadedNvml(LoadedLibrary library) : library_(std::move(library)) {}
  LoadedNvml(const LoadedNvml&) = delete;
  LoadedNvml& operator=(const LoadedNvml&) = delete;
  ~LoadedNvml() override {
    if (is_started_) library_.function<int()>("nvmlShutdown")();
  }

  // Empty where it started, else why not.
  std::string start() {
    auto* const init = library_.function<int()>("nvmlInit_v2");
    if (init == nullptr || library_.function<int()>("nvmlShutdown") == nullptr) return "it is too old: no nvmlInit_v2";
    const int error = init();
    is_started_ = error == kSuccess;
    return is_started_ ? "" : error_text(error);
  }

  std::string driver_version() const override {
    std::array<char, 96> text{};
    auto* const call = library_.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return call != nullptr && call(text.data(), text.size()) == kSuccess ? text.data() : "";
  }

  GpuFacts facts(const std::string& pci_bus_id) const override;
  GpuReading read(const std::string& pci_bus_id) const override;
  std::optional<std::vector<GpuProcess>> processes(const std::string& pci_bus_id) const override;
  std::optional<double> counted_energy_j(const std::string& pci_bus_id) const override {
    return counted_energy(handle(pci_bus_id));
  }

 private:
  std::string error_text(int error) const {
    auto* const call = library_.function<const char*(int)>("nvmlErrorString");
    return call == nullptr ? fmt::format("error {}", error) : call(error);
  }

  Handle handle(const std::string& pci_bus_id) const {
    Handle handle = nullptr;
    auto* const call = library_.function<int(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2");
    const int error = call == nullptr ? -1 : call(pci_bus_id.c_str(), &handle);
    if (error == kSuccess) return handle;
    throw Error(ErrorKind::kEnvironment, fmt::format("NVML does not know GPU {}: {}", pci_bus_id, error_text(error)));
  }

  template <typename Value>
  std::optional<Value> number(const char* name, Handle gpu) const {
    return value_of<Value>(library_.function<int(Handle, Value*)>(name), gpu);
  }

  std::optional<double> clock(const char* name, Handle gpu, int clock) const {
    return scaled<double>(value_of<unsigned>(library_.function<int(Handle, int, unsigned*)>(name), gpu, clock), 1e6);
  }

  std::optional<double> counted_energy(Handle gpu) const {
    return scaled<double>(number<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", gpu), 1e-3);
  }

  std::optional<double> violation_s(Handle gpu, int policy) const {
    auto* const call = library_.function<int(Handle, int, ViolationTime*)>("nvmlDeviceGetViolationStatus");
    const auto time = value_of<ViolationTime>(call, gpu, policy);
    return time ? std::optional(static_cast<double>(time->violation_ns) * 1e-9) : std::nullopt;
  }

  std::string text(const char* name, Handle gpu) const {
    std::array<char, 96> text{};
    auto* const call = library_.function<int(Handle, char*, unsigned)>(name);
    return call != nullptr && call(gpu, text.data(), text.size()) == kSuccess ? text.data() : "";
  }

  LoadedLibrary library_;
  bool is_started_ = false;
};

GpuFacts LoadedNvml::facts(const std::string& pci_bus_id) const {
  const Handle gpu = handle(pci_bus_id);
  GpuFacts facts;
  facts.name = text("nvmlDeviceGetName", gpu);
  facts.uuid = text("nvmlDeviceGetUUID", gpu);
  if (const auto memory = number<MemoryInfo>("nvmlDeviceGetMemoryInfo", gpu)) {
    facts.total_bytes = static_cast<std::int64_t>(memory->total);
  }
  facts.power_limit_w = scaled<double>(number<unsigned>("nvmlDeviceGetPowerManagementLimit", gpu), 1e-3);
  facts.max_sm_clock_hz = clock("nvmlDeviceGetMaxClockInfo", gpu, kSmClock);
  facts.max_memory_clock_hz = clock("nvmlDeviceGetMaxClockInfo", gpu, kMemoryClock);
  unsigned current = 0;
  unsigned pending = 0;
  auto* const mig = library_.function<int(Handle, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
  if (mig != nullptr && mig(gpu, &current, &pending) == kSuccess) facts.mig = current != 0;
  if (const auto mode = number<int>("nvmlDeviceGetComputeMode", gpu)) facts.compute_mode = compute_mode_name(*mode);
  return facts;
}

GpuReading LoadedNvml::read(const std::string& pci_bus_id) const {
  const Handle gpu = handle(pci_bus_id);
  GpuReading reading;
  if (const auto shares = number<Utilization>("nvmlDeviceGetUtilizationRates", gpu)) {
    reading.utilization = shares->gpu / 100.0;
    reading.memory_utilization = shares->memory / 100.0;
  }
  reading.sm_clock_hz = clock("nvmlDeviceGetClockInfo", gpu, kSmClock);
  reading.memory_clock_hz = clock("nvmlDeviceGetClockInfo", gpu, kMemoryClock);
  reading.power_w = scaled<double>(number<unsigned>("nvmlDeviceGetPowerUsage", gpu), 1e-3);
  reading.energy_j = counted_energy(gpu);
  auto* const temperature = library_.function<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature");
  reading.temperature_c = scaled<double>(value_of<unsigned>(temperature, gpu, kGpuTemperature), 1);
  if (const auto memory = number<MemoryInfo>("nvmlDeviceGetMemoryInfo", gpu)) {
    reading.used_bytes = static_cast<std::int64_t>(memory->used);
  }
  auto bits = number<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", gpu);
  if (!bits) bits = number<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu);  // before CUDA 12.2
  if (bits) reading.throttling = gpu_throttling(*bits);
  reading.power_violation_s = violation_s(gpu, kPowerPolicy);
  reading.thermal_violation_s = violation_s(gpu, kThermalPolicy);
  return reading;
}

std::optional<std::vector<GpuProcess>> LoadedNvml::processes(const std::string& pci_bus_id) const {
  const Handle gpu = handle(pci_bus_id);
  auto* const call = library_.function<int(Handle, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  if (call == nullptr) return std::nullopt;
  // Processes may come between asking how many and asking which.
  constexpr int kAttempts = 5;
  std::vector<ProcessInfo> infos(16);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto count = static_cast<unsigned>(infos.size());
    const int error = call(gpu, &count, infos.data());
    if (error == kInsufficientSize) {
      infos.resize(std::size_t{count} + 16);
      continue;
    }
    if (error != kSuccess) return std::nullopt;
    std::vector<GpuProcess> processes;
    for (unsigned i = 0; i < count; ++i) {
      GpuProcess process{static_cast<int>(infos[i].pid), std::nullopt};
      if (infos[i].used_memory != kUnknownMemory)
        process.memory_bytes = static_cast<std::int64_t>(infos[i].used_memory);
      processes.push_back(process);
    }
    return processes;
  }
  return std::nullopt;
}

}  // namespace

GpuThrottling gpu_throttling(std::uint64_t bits) {
  GpuThrottling throttling;
  throttling.bits = bits;
  throttling.thermal = (bits & (kSoftwareThermal | kHardwareThermal)) != 0;
  throttling.power = (bits & kSoftwarePowerCap) != 0;
  throttling.hardware = (bits & kHardwarePowerBrake) != 0 || ((bits & kHardwareSlowdown) != 0 && !throttling.thermal);
  return throttling;
}

std::unique_ptr<Nvml> Nvml::open(std::string& why_not, const std::string& name) {
  auto library = LoadedLibrary::open(name, why_not);
  if (!library) return nullptr;
  auto nvml = std::make_unique<LoadedNvml>(std::move(*library));
  if (const std::string reason = nvml->start(); !reason.empty()) {
    why_not = fmt::format("{} does not start: {}", name, reason);
    return nullptr;
  }
  return nvml;
}

}  // namespace transformeter
