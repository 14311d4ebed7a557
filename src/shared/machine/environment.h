// What a run was measured on: captured once, stored with the run, and hashed into the host's fingerprint.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "machine/system_files.h"

namespace transformeter {

struct EnvironmentOptions {
  SystemFiles files;            // where /proc, /sys and /etc are read
  std::string topology;         // an hwloc synthetic description for tests; empty: this machine's
  std::string program_version;  // empty: null
  std::string git_commit;       // empty: null
};

/// An object of sections: hostname, cpu, topology, memory, frequency, os, container, virtualization, clock,
/// mitigations, program, fingerprint. A missing figure is null; where the cause is known the section's `null_reasons`
/// names it under the same key. Takes some ten milliseconds; not for inside a timed window.
Json capture_environment(const EnvironmentOptions& options, const Clock& clock);

}  // namespace transformeter
