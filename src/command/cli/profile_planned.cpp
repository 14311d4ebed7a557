// What the worker declares impossible is not tried.
#include "cli/profile_planned.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "run/run_peaks.h"

namespace transformeter {
namespace {

ProfileRecord planned_record(const PreparedRun& prepared, const PlannedCase& planned, const ProfilePlanning& planning) {
  ProfileRecord record;
  record.id = prepared.record.id;
  record.name = prepared.record.name;
  record.started_at = prepared.record.started_at;
  record.host = prepared.record.host;
  record.host.erase("peaks");  // the case has its own
  record.case_id = planned.record.id;
  record.label = planning.label;
  record.requested = planned.record.requested;
  record.workload = planned.workload;
  record.recorded = planning.options;
  return record;
}

std::optional<std::string> why_not_profiled(const PreparedRun& prepared, const PlannedCase& planned) {
  if (planned.record.status) return planned.record.status_reason;
  if (planned.asked.engine == "auto") {
    return "engine auto is found by trials, which `transformeter run` makes; profile the settings that it chose";
  }
  if (!prepared.gives_profiles) return fmt::format("worker '{}' cannot profile", prepared.worker.string());
  return std::nullopt;
}

ProfileJob job_of(const PreparedRun& prepared, const PlannedCase& planned, const ProfilePlanning& planning) {
  ProfileJob job{.worker = prepared.worker,
                 .settings = planned.record.requested,
                 .launch_host = prepared.launch_host,
                 .options = planning.options,
                 .trace = planning.trace,
                 .warmup = planned.asked.warmup};
  job.worker_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(planning.asking.worker_timeout);
  job.interrupt = planning.asking.interrupt;
  job.on_progress = planning.on_progress;
  return job;
}

}  // namespace

ProfileRecord profile_planned(const Context& context, const PreparedRun& prepared, const PlannedCase& planned,
                              const ProfilePlanning& planning) {
  ProfileRecord record = planned_record(prepared, planned, planning);
  if (const auto reason = why_not_profiled(prepared, planned)) {
    record.status = planned.record.status.value_or(Status::kUnsupported);
    record.reason = *reason;
    return record;
  }
  try {
    ProfiledCase profiled = profile_case(context, job_of(prepared, planned, planning));
    record.effective = std::move(profiled.effective);
    record.profile = std::move(profiled.profile);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kEnvironment) throw;
    record.status = status_of(error.kind());
    record.reason = error.what();
    return record;
  }
  record.effective["peaks"] = peaks_of_case(prepared.record, planned.asked);
  return record;
}

}  // namespace transformeter
