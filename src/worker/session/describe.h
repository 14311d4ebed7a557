// What this worker declares: its capabilities and libraries.
#pragma once

#include "measure/parts.h"
#include "schema/messages.h"

namespace transformeter {

Described describe_worker(const WorkerParts& parts);

}  // namespace transformeter
