// Differences of counters, and an idle machine's power.
#include "machine/energy_meter.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "machine/gpu_meter.h"

namespace transformeter {
namespace {

// No package takes more with its memory; its counter wraps no sooner than its range divided by this.
constexpr double kMaxPowerW = 1000;
constexpr double kMicro = 1e-6;

std::optional<std::int64_t> microjoules_of(const GpuMeter& gpu) {
  const auto joules = gpu.counted_energy_j();
  return joules ? std::optional<std::int64_t>(std::llround(*joules / kMicro)) : std::nullopt;
}

}  // namespace

std::vector<std::string> EnergyMeter::domains() const {
  std::vector<std::string> names;
  for (const Domain& domain : domains_) names.push_back(domain.name);
  return names;
}

std::optional<EnergyReading> EnergyMeter::read(const Clock& clock) const {
  EnergyReading reading;
  for (const Domain& domain : domains_) {
    const auto counted = domain.microjoules();
    if (!counted) return std::nullopt;
    reading.microjoules.push_back(*counted);
  }
  reading.at = clock.now();
  return reading;
}

EnergyTaken EnergyMeter::between(const EnergyReading& before, const EnergyReading& after) const {
  const double window_s = std::chrono::duration<double>(after.at - before.at).count();
  double joules = 0;
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const Domain& domain = domains_[i];
    std::int64_t taken = after.microjoules[i] - before.microjoules[i];
    if (domain.range_uj) {
      const double range_j = static_cast<double>(*domain.range_uj) * kMicro;
      if (window_s * kMaxPowerW > range_j) {
        return {std::nullopt,
                fmt::format("the counter of {} wraps around every {:.0f} J, possibly twice within {:.0f} s",
                            domain.name, range_j, window_s)};
      }
      if (taken < 0) taken += *domain.range_uj;
    }
    if (taken < 0) return {std::nullopt, fmt::format("the counter of {} went backwards", domain.name)};
    joules += static_cast<double>(taken) * kMicro;
  }
  return {joules, ""};
}

std::unique_ptr<EnergyMeter> open_gpu_energy(int ordinal, std::string& why_not, const GpuLibraries& libraries) {
  const std::shared_ptr<const GpuMeter> gpu = GpuMeter::open(ordinal, why_not, libraries);
  if (!gpu) return nullptr;
  if (gpu->facts().mig.value_or(false)) {
    why_not = "the GPU is split into MIG instances, and its counter covers all of them";
    return nullptr;
  }
  if (!gpu->counted_energy_j()) {
    why_not = fmt::format("{} has no energy counter (GPUs have one since Volta)", gpu->facts().name);
    return nullptr;
  }
  const std::string name = fmt::format("cuda:{}", ordinal);
  const EnergyMeter::Domain domain{name, [gpu] { return microjoules_of(*gpu); }, std::nullopt};
  return std::make_unique<EnergyMeter>("nvml", std::vector{domain}, std::nullopt);
}

std::unique_ptr<EnergyMeter> open_energy_meter(std::string_view device, std::string& why_not) {
  if (device == "cpu") return open_rapl(why_not);
  if (const auto ordinal = cuda_ordinal(device)) return open_gpu_energy(*ordinal, why_not);
  why_not = fmt::format("no energy counter for device {}", device);
  return nullptr;
}

std::optional<IdleEnergy> measure_idle(const EnergyMeter& meter, const Clock& clock, Seconds length,
                                       const std::function<void(Seconds)>& wait) {
  constexpr Seconds kLook{1e-3};
  constexpr int kMinSteps = 3;
  const auto begin = meter.read(clock);
  if (!begin) return std::nullopt;
  std::optional<EnergyReading> first = begin;
  std::optional<EnergyReading> last;
  Seconds period = meter.period().value_or(Seconds(0));
  if (meter.period()) {
    wait(length);
    last = meter.read(clock);
  } else {
    int steps = 0;
    EnergyReading seen = *begin;
    while (clock.now() - begin->at < length) {
      wait(kLook);
      const auto now = meter.read(clock);
      if (!now) return std::nullopt;
      if (now->microjoules == seen.microjoules) continue;
      seen = *now;
      if (++steps == 1) first = seen;
      last = seen;
    }
    if (steps < kMinSteps) return std::nullopt;
    period = (last->at - first->at) / static_cast<double>(steps - 1);
  }
  if (!last) return std::nullopt;
  const auto joules = meter.between(*first, *last).joules;
  if (!joules) return std::nullopt;
  return IdleEnergy{*joules / std::chrono::duration<double>(last->at - first->at).count(), period};
}

}  // namespace transformeter
