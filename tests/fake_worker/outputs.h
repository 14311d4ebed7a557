// Outputs whose distance from a reference's a test can compute itself.
#pragma once

#include "fake_worker/behaviour.h"
#include "schema/outputs.h"

namespace transformeter {

/// The named inputs that there are, or the first ones, one row each.
Outputs fake_outputs(const FakeOutputs& behaviour, const OutputRequest& request);

}  // namespace transformeter
