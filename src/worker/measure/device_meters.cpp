// What a meter does not give stays away, with the reason in the case's effective settings.
#include "measure/device_meters.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace transformeter {
namespace {

void add(std::vector<Series>& series, std::string_view name, const std::optional<double>& value) {
  if (value) series.push_back(scalar_series(name, *value));
}

std::optional<double> difference(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

std::optional<double> bits_of(const GpuReading& reading) {
  return reading.throttling ? std::optional(static_cast<double>(reading.throttling->bits)) : std::nullopt;
}

void add_state(std::vector<Series>& series, const GpuFacts& facts, const GpuReading& before, const GpuReading& after) {
  add(series, "sm_clock_before", before.sm_clock_hz);
  add(series, "sm_clock_after", after.sm_clock_hz);
  add(series, "sm_clock_max", facts.max_sm_clock_hz);
  add(series, "memory_clock_after", after.memory_clock_hz);
  add(series, "gpu_temperature_before", before.temperature_c);
  add(series, "gpu_temperature_after", after.temperature_c);
  add(series, "gpu_power_after", after.power_w);
  add(series, "gpu_utilization_after", after.utilization);
  add(series, "gpu_throttle_reasons_before", bits_of(before));
  add(series, "gpu_throttle_reasons_after", bits_of(after));
  add(series, "gpu_thermal_violation_time", difference(before.thermal_violation_s, after.thermal_violation_s));
  add(series, "gpu_power_violation_time", difference(before.power_violation_s, after.power_violation_s));
}

// Empty where the memory of `pid` is told, else why it is not.
std::string add_own_memory(std::vector<Series>& series, const std::vector<GpuProcess>& processes, pid_t pid) {
  const auto own = std::find_if(processes.begin(), processes.end(), [&](const auto& one) { return one.pid == pid; });
  if (own == processes.end()) {
    return fmt::format("this process ({1}) is not among the {0} that NVML lists: a container hides its process ID",
                       processes.size(), pid);
  }
  if (!own->memory_bytes) return "NVML does not report the memory of single processes here";
  add(series, "device_process_memory", static_cast<double>(*own->memory_bytes));
  return "";
}

// Where this process is not in the list by its own number, one of the others may be it.
std::size_t fewest_other_processes(const OtherGpuProcesses& others) {
  const std::size_t count = others.processes.size();
  return others.lists_own || count == 0 ? count : count - 1;
}

Json to_json(const std::vector<GpuProcess>& processes) {
  Json list = Json::array();
  for (const GpuProcess& process : processes) {
    list.push_back(
        {{"pid", process.pid}, {"memory_bytes", process.memory_bytes ? Json(*process.memory_bytes) : Json()}});
  }
  return list;
}

}  // namespace

DeviceMeters::DeviceMeters(const std::string& device, std::vector<pid_t> own) : own_(std::move(own)) {
  energy_ = open_energy_meter(device, why_no_energy_);
  const auto ordinal = cuda_ordinal(device);
  is_gpu_ = ordinal.has_value();
  if (is_gpu_) gpu_ = GpuMeter::open(*ordinal, why_no_gpu_);
}

void DeviceMeters::begin() {
  if (gpu_) before_ = gpu_->snapshot();
}

void DeviceMeters::begin_energy(const Clock& clock) {
  if (energy_) energy_before_ = energy_->read(clock);
}

void DeviceMeters::end_energy(const Clock& clock) {
  if (energy_) energy_after_ = energy_->read(clock);
}

void DeviceMeters::end() {
  if (gpu_) after_ = gpu_->snapshot();
}

void DeviceMeters::add_to(std::vector<Series>& series, Json& effective) const {
  effective["energy"] = add_energy(series);
  if (is_gpu_) effective["gpu"] = add_gpu(series);
}

Json DeviceMeters::add_energy(std::vector<Series>& series) const {
  if (!energy_) return {{"reason", why_no_energy_}};
  Json about = {{"counter", energy_->counter()}, {"domains", energy_->domains()}};
  if (!energy_before_ || !energy_after_) {
    about["reason"] = "the energy counter could not be read";
    return about;
  }
  const EnergyTaken taken = energy_->between(*energy_before_, *energy_after_);
  if (!taken.joules) {
    about["reason"] = taken.why_none;
    return about;
  }
  add(series, "energy_counted", taken.joules);
  add(series, "energy_window", std::chrono::duration<double>(energy_after_->at - energy_before_->at).count());
  return about;
}

Json DeviceMeters::add_gpu(std::vector<Series>& series) const {
  if (!gpu_) return {{"null_reasons", {{"all", why_no_gpu_}, {"device_process_memory", why_no_gpu_}}}};
  Json about = {{"pci_bus_id", gpu_->pci_bus_id()}, {"null_reasons", Json::object()}};
  add_state(series, gpu_->facts(), before_.reading, after_.reading);
  if (!after_.processes) {
    about["null_reasons"]["device_process_memory"] = "NVML does not list the GPU's processes here";
    return about;
  }
  const std::string why_no_memory = add_own_memory(series, *after_.processes, own_.front());
  if (!why_no_memory.empty()) about["null_reasons"]["device_process_memory"] = why_no_memory;

  const OtherGpuProcesses others = other_gpu_processes(*after_.processes, own_);
  std::size_t count = fewest_other_processes(others);
  if (before_.processes) count = std::max(count, fewest_other_processes(other_gpu_processes(*before_.processes, own_)));
  add(series, "gpu_other_processes", static_cast<double>(count));
  about["other_processes"] = to_json(others.processes);
  if (others.lists_own) {
    double bytes = 0;
    for (const GpuProcess& process : others.processes) bytes += static_cast<double>(process.memory_bytes.value_or(0));
    add(series, "gpu_other_memory", bytes);
  }
  return about;
}

}  // namespace transformeter
