// The variables that choose a malloc for a worker and make it keep what is freed.
#pragma once

#include <map>
#include <string>

#include "run/launch_host.h"
#include "schema/case.h"

namespace transformeter {

/// For the settings `allocator` and `huge_pages` of `asked`. What the caller's environment already says in the same
/// variables is kept, unless it says otherwise than the settings. Throws Error(kUnsupported), with the package to
/// install, for an allocator that is not on this host.
void add_allocator(const Case& asked, const LaunchHost& host, std::map<std::string, std::string>& environment);

}  // namespace transformeter
