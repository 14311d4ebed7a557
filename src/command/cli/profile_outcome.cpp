// What the worker declares impossible is not tried.
#include "cli/profile_outcome.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "run/run_peaks.h"
#include "schema/peak.h"

namespace transformeter {
namespace {

std::optional<double> rate_of(const Json& peak) {
  const Json value = peak.value("value", Json());
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

void add_limits(const Json& peaks, ProfileOutcome& outcome) {
  const Json& gemm = peaks.at("gemm");
  const Json& bandwidth = peaks.at(kReadBandwidthPeak);
  outcome.limits = {rate_of(gemm), rate_of(bandwidth)};
  if (outcome.limits.flops_per_s && outcome.limits.bytes_per_s) return;
  const Json& missing = outcome.limits.flops_per_s ? bandwidth : gemm;
  const Json reason = missing.value("reason", Json());
  if (reason.is_string()) outcome.no_limits_reason = reason.get<std::string>();
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
                 .trace = planning.places.trace,
                 .warmup = planned.asked.warmup};
  job.worker_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(planning.asking.worker_timeout);
  job.interrupt = planning.asking.interrupt;
  job.on_progress = planning.on_progress;
  return job;
}

}  // namespace

ProfileOutcome profile_planned(const Context& context, const PreparedRun& prepared, const PlannedCase& planned,
                               const ProfilePlanning& planning) {
  ProfileOutcome outcome{.id = planned.record.id, .label = planning.label, .requested = planned.record.requested};
  if (const auto reason = why_not_profiled(prepared, planned)) {
    outcome.status = planned.record.status.value_or(Status::kUnsupported);
    outcome.reason = *reason;
    return outcome;
  }
  try {
    outcome.profiled = profile_case(context, job_of(prepared, planned, planning));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kEnvironment) throw;
    outcome.status = status_of(error.kind());
    outcome.reason = error.what();
    return outcome;
  }
  add_limits(peaks_of_case(prepared.record, planned.asked), outcome);
  return outcome;
}

}  // namespace transformeter
