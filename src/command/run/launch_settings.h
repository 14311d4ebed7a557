// From a case's launch settings to what is set on its worker before exec.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/placement.h"
#include "run/launch_host.h"
#include "schema/case.h"

namespace transformeter {

/// What a worker is started with.
struct Launch {
  std::map<std::string, std::string> environment;  // added to, or replacing, this process's own
  Placement placement;
};

/// The launch settings of `asked` on this host; one that is missing there is left as the system has it. The
/// environment also lists the caller's own variables that change how LibTorch, its libraries or malloc run: they reach
/// the worker anyway, and so stand with its case. Throws Error(kUnsupported), with the reason and what can be done, for
/// a setting that this host cannot give.
Launch launch_of(const Case& asked, const LaunchHost& host);

/// {environment, cpus, memory_policy, transparent_huge_pages}; what is not set is left out.
Json to_json(const Launch& launch);

}  // namespace transformeter
