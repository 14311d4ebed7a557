// The case a worker was asked to run.
#pragma once

#include "base/json.h"
#include "schema/case.h"

namespace transformeter {

/// Throws Error(kProtocol) when a setting is missing or malformed, Error(kBadInput) for an unknown task or scenario.
/// What shapes a cycle, or prompts, may be missing without data, and where the scenario is another.
Case worker_case_from(const Json& settings);

}  // namespace transformeter
