// Which case is the reference of another: the same texts and weights, computed plainly.
#pragma once

#include <string>

#include "base/json.h"

namespace transformeter {

/// The settings of `requested`'s reference: fp32, eager attention with the mask on, on the CPU, with `cores` threads;
/// every other setting of engine and launch at its default. Batch size and limit are those that give the first inputs
/// of the cycle (schema/outputs.h) cheaply, so that cases of all batch sizes share a reference. A TorchScript file
/// keeps its attention, which cannot be exchanged.
Json reference_settings(const Json& requested, int cores);

/// SHA-256 of what decides a reference's outputs: model, data and shape from the case's `workload`, the engine's
/// settings, and `worker`, whatever identifies the program that computes them.
std::string reference_key(const Json& settings, const Json& workload, const Json& worker);

}  // namespace transformeter
