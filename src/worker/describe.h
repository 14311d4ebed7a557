// What this worker declares: its capabilities and libraries.
#pragma once

#include "protocol/messages.h"

namespace transformeter {

Described describe_worker();

}  // namespace transformeter
