// What the machine takes before a run's first worker starts: gross energy less this is what a case adds.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "machine/energy_meter.h"
#include "schema/series.h"

namespace transformeter {

class IdlePower {
 public:
  /// Takes a second for each device that has a counter, and no time for the others.
  static IdlePower measure(const std::set<std::string>& devices, const Clock& clock);

  /// The series idle_power and energy_counter_period beside a replicate's energy; none where either is missing.
  void add_to(const std::string& device, std::vector<Series>& series) const;

 private:
  std::map<std::string, IdleEnergy, std::less<>> by_device_;
};

}  // namespace transformeter
