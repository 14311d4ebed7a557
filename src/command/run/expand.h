// From a plan to its cases: the product of all axes, with `auto` resolved, identities computed and impossible points
// answered, before anything starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "run/identity.h"
#include "run/launch_host.h"
#include "run/plan.h"
#include "schema/capabilities.h"
#include "schema/case.h"
#include "schema/record.h"

namespace transformeter {

/// A worker, and what it says of its build: program, version, git_commit, libtorch.
struct WorkerBuild {
  std::filesystem::path path;
  Json build = Json::object();
};

/// A case with what the runner needs beside its record.
struct PlannedCase {
  CaseRecord record;  // id, position, plan_key, requested; status and reason when it is known to be impossible
  Case asked;         // record.requested
  Json workload;      // description, see Describer::workload
  double cost = 0;    // floating-point operations of one batch, or one request, to order by; 0 when unknown
  std::optional<WorkerBuild> worker;  // of this case; nothing: the run's
};

struct ExpandOptions {
  Capabilities capabilities;
  int cores = 1;  // what threads=auto means
  LaunchHost launch_host;
};

/// The cases in the plan's order, c01, c02, …; points that resolve to the same case are one. precision=auto becomes
/// fp32, and bf16 where the worker has it natively and the engine at all; device=auto the best declared; threads=auto
/// the number of cores.
/// A point that the worker, or this host for its launch settings, declares impossible has the status unsupported, one
/// that is longer than the model's position table, prompt and new tokens together, unsupported_shape, with the reason.
/// Throws Error(kBadInput) for an unknown model, a broken checkpoint, a data file that cannot be read, and for a plan
/// without a case.
std::vector<PlannedCase> expand(const Plan& plan, const ExpandOptions& options, Describer& describer);

/// One point whose settings all have their values. Throws as expand.
PlannedCase planned_point(Json requested, const ExpandOptions& options, Describer& describer);

/// Gives cases their positions and ids, in their order.
void name_cases(std::vector<PlannedCase>& cases);

/// A stored case as a planned one, for resume. Throws Error(kBadInput) when model or data have changed since, so that
/// its plan_key is another.
PlannedCase planned_again(const CaseRecord& record, Describer& describer);

/// Indices of `cases`, cheapest first; equal costs keep their order.
std::vector<std::size_t> cheapest_first(const std::vector<PlannedCase>& cases);

}  // namespace transformeter
