// The fake worker's side of a session: it speaks the protocol as transformeter-worker does, with made-up samples of a
// known distribution. No model, and no clock: time is in the samples.
#pragma once

#include "base/json.h"
#include "schema/channel.h"

namespace transformeter {

/// Serves one session over `channel` until teardown, a fault that ends it, or the other side's end; then the channel is
/// closed. `behaviour` as parse_behaviour's. Throws Error(kBadInput) for a wrong behaviour and Error(kProtocol) when
/// the other side breaks the protocol. Faults may end the process.
void serve_fake_session(Channel channel, const Json& behaviour);

}  // namespace transformeter
