// Meters of a case's device around its measuring window: energy, and for a GPU clocks, throttling, memory and other
// processes.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "machine/energy_meter.h"
#include "machine/gpu_meter.h"
#include "schema/series.h"

namespace transformeter {

class DeviceMeters {
 public:
  /// `device` as the setting names it. `own`: this process, then others that do not count as other processes on a GPU.
  DeviceMeters(const std::string& device, std::vector<pid_t> own);

  /// Around the loop and what else is read there, some milliseconds each; energy right around it.
  void begin();
  void begin_energy(const Clock& clock);
  void end_energy(const Clock& clock);
  void end();

  /// What there is as series; in `effective`, under "energy" and "gpu", what was read and why the rest was not.
  void add_to(std::vector<Series>& series, Json& effective) const;

 private:
  Json add_energy(std::vector<Series>& series) const;
  Json add_gpu(std::vector<Series>& series) const;

  std::vector<pid_t> own_;
  bool is_gpu_ = false;
  std::unique_ptr<EnergyMeter> energy_;
  std::string why_no_energy_;
  std::optional<EnergyReading> energy_before_, energy_after_;
  std::unique_ptr<GpuMeter> gpu_;
  std::string why_no_gpu_;
  GpuSnapshot before_, after_;
};

}  // namespace transformeter
