// One short name for "the same machine", so that results of different hosts are not compared unawares.
#pragma once

#include <string>

#include "base/json.h"

namespace transformeter {

/// The first 16 hexadecimal digits of SHA-256 over the parts of a captured environment that decide its speed and do not
/// change from run to run: processor and features, microcode, topology and caches, installed memory (to the GiB, since
/// the kernel's own share varies), operating system and kernel release, hypervisor, container limits. Not the host's
/// name, free memory, frequencies or load.
std::string host_fingerprint(const Json& environment);

}  // namespace transformeter
