// What this worker declares: its capabilities and libraries.
#pragma once

#include "protocol/messages.h"
#include "worker/parts.h"

namespace transformeter {

Described describe_worker(const WorkerParts& parts);

}  // namespace transformeter
