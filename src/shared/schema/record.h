// What a run leaves behind: the run, its cases and their replicates, as the store keeps them and readers get them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/series.h"
#include "schema/status.h"

namespace transformeter {

inline constexpr int kResultSchemaVersion = 1;

struct ReplicateRecord {
  int index = 0;
  std::string started_at;  // ISO 8601, UTC
  int ranks = 1;
  Status status = Status::kOk;
  std::string status_reason;  // empty when ok, but for what is_unfinished (schema/unfinished.h)
  std::vector<Series> series;
};

/// What was computed from a case's raw series (metrics/case_summary.h), kept beside them so that reading is fast. The
/// series stay the truth: a summary of another version is recomputed.
struct CaseSummary {
  int version = 0;
  std::string document;
  std::optional<std::int64_t> sample_count = {};  // it was made from; nothing: not known
};

/// What a run is for.
enum class RunRole {
  kResult,
  kTrial,  // short trials that chose settings for another run
};

/// "result", "trial".
std::string_view name_of(RunRole role);
/// Throws Error(kBadInput) for another name.
RunRole run_role_from_name(std::string_view name);

/// One point of the plan. `status` is empty while it is pending.
struct CaseRecord {
  std::string id;            // unique in its run: "c01"
  int position = 0;          // order in which the plan meets it
  std::string plan_key;      // SHA-256 of the case as requested, see plan_key()
  std::string key;           // SHA-256 of the case as it ran; empty until it did
  std::string workload_key;  // SHA-256 of the workload's description; empty until known
  Json requested = Json::object();
  Json effective = Json::object();
  Json launch = Json::object();
  std::optional<Status> status;
  std::string status_reason;
  std::vector<ReplicateRecord> replicates;  // by index
  std::optional<CaseSummary> summary;       // of these replicates
};

struct RunRecord {
  std::string id;    // "20261121-015354-3fa9c1"
  std::string name;  // may be empty
  RunRole role = RunRole::kResult;
  std::string started_at;
  int replicates_planned = 1;      // per case
  Json host = Json::object();      // environment, see machine/environment.h
  Json settings = Json::object();  // plan as given: {name: {values, origin}}
  std::vector<CaseRecord> cases;   // by position
};

/// SHA-256 of a case's requested settings and of the description of its workload, which has model and data by content:
/// what resume goes by.
std::string plan_key(const Json& requested, const Json& workload);

/// The status of a case from its replicates: ok when any is ok, else the last one's; nothing without replicates.
std::optional<Status> case_status(const std::vector<ReplicateRecord>& replicates);

}  // namespace transformeter
