// The prepare request for a worker, with the paths and process ids of this machine.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "run/session.h"
#include "schema/messages.h"

namespace transformeter {

/// For the session's own worker; a model of the hub becomes its folder in the cache. Throws Error(kBadInput) when it is
/// not there.
PrepareRequest prepare_request(const Json& settings, const Session& session,
                               std::optional<std::int64_t> memory_limit_bytes);

}  // namespace transformeter
