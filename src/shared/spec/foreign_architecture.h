// A family that only its own worker can compute, as the command knows it: by what the worker says of it.
#pragma once

#include "base/json.h"
#include "spec/architecture.h"

namespace transformeter {

/// {family, tasks, presets: [{name, config}]}: what a worker declares of a family.
Json described_architecture(const Architecture& architecture);

/// The family back from that. It has no blueprint: sizes are taken from config.json where they have their usual names,
/// the checkpoint's tensors are left to the worker, and what follows from a blueprint, as FLOPs, is not known. Throws
/// Error(kProtocol) for JSON of another form.
Architecture foreign_architecture(const Json& described);

/// Whether all that is known of the family is what its worker says.
bool is_foreign(const Architecture& architecture);

}  // namespace transformeter
