// Counters of energy: what the processors' packages and their memory, or a GPU, have taken since some time. Read before
// and after what is measured, never while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "machine/gpu_report.h"
#include "machine/system_files.h"

namespace transformeter {

struct EnergyReading {
  Clock::TimePoint at;
  std::vector<std::int64_t> microjoules;  // of each domain, in the meter's order
};

/// A difference of two readings, or why there is none.
struct EnergyTaken {
  std::optional<double> joules;
  std::string why_none;
};

class EnergyMeter {
 public:
  /// What is counted apart from all other domains: "package-0", "cuda:0".
  struct Domain {
    std::string name;
    std::function<std::optional<std::int64_t>()> microjoules;
    std::optional<std::int64_t> range_uj;  // it begins again from 0 behind this; nothing: it never does
  };

  /// `counter`: "rapl" or "nvml". `period`: between two updates; nothing where it is not documented.
  EnergyMeter(std::string counter, std::vector<Domain> domains, std::optional<Seconds> period)
      : counter_(std::move(counter)), domains_(std::move(domains)), period_(period) {}

  const std::string& counter() const { return counter_; }
  std::vector<std::string> domains() const;
  std::optional<Seconds> period() const { return period_; }

  /// Nothing when a domain does not answer.
  std::optional<EnergyReading> read(const Clock& clock) const;
  /// Summed over the domains. One wrap is corrected; a window in which a counter may have wrapped twice has no
  /// figure.
  EnergyTaken between(const EnergyReading& before, const EnergyReading& after) const;

 private:
  std::string counter_;
  std::vector<Domain> domains_;
  std::optional<Seconds> period_;
};

/// RAPL's packages and their memory, each once, through powercap. Nothing, and why, where there are none or this
/// process may not read them.
std::unique_ptr<EnergyMeter> open_rapl(std::string& why_not, const SystemFiles& files = SystemFiles());

/// NVML's count of the energy of the GPU that CUDA counts as `ordinal`.
std::unique_ptr<EnergyMeter> open_gpu_energy(int ordinal, std::string& why_not, const GpuLibraries& libraries = {});

/// What counts for a case on `device`: "cpu", "cuda:0".
std::unique_ptr<EnergyMeter> open_energy_meter(std::string_view device, std::string& why_not);

/// What a machine takes while nothing is measured, and how often its counter is brought up to date.
struct IdleEnergy {
  double power_w = 0;
  Seconds counter_period{0};
};

/// Watches the counter for `length`. A period that is not known is taken from the counter's own steps, and the power
/// from the first of them to the last; nothing where it makes fewer than three. `wait` sleeps so long.
std::optional<IdleEnergy> measure_idle(const EnergyMeter& meter, const Clock& clock, Seconds length,
                                       const std::function<void(Seconds)>& wait);

}  // namespace transformeter
