// One session: the command asks, this answers, until teardown or the end of the connection.
#pragma once

#include "base/context.h"
#include "measure/parts.h"
#include "schema/channel.h"

namespace transformeter {

/// Serves the session on `channel`. Every Error becomes a `failed` message with a typed status; nothing is thrown but
/// what breaks the connection itself.
void serve_session(Channel& channel, const Context& context, const WorkerParts& parts);

}  // namespace transformeter
