// Once a run, in the command: within a worker the second would lie in its cold start.
#include "run/idle_power.h"

#include <thread>

namespace transformeter {
namespace {

constexpr Seconds kWatched{1};

}  // namespace

IdlePower IdlePower::measure(const std::set<std::string>& devices, const Clock& clock) {
  IdlePower power;
  for (const std::string& device : devices) {
    std::string why_not;
    const auto meter = open_energy_meter(device, why_not);
    if (!meter) continue;
    const auto idle = measure_idle(*meter, clock, kWatched, [](Seconds time) { std::this_thread::sleep_for(time); });
    if (idle) power.by_device_.emplace(device, *idle);
  }
  return power;
}

void IdlePower::add_to(const std::string& device, std::vector<Series>& series) const {
  const auto idle = by_device_.find(device);
  if (idle == by_device_.end() || find_series(series, "energy_counted") == nullptr) return;
  series.push_back(scalar_series("idle_power", idle->second.power_w));
  series.push_back(scalar_series("energy_counter_period", idle->second.counter_period.count()));
}

}  // namespace transformeter
