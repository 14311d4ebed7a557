// Two profiles side by side: which phases, modules and operators take more time or less.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profile_tables.h"
#include "base/json.h"

namespace transformeter {

/// What of a profile is compared; self times of one pass, with the profiler.
struct ProfileSummary {
  std::string label;
  Json requested = Json::object();  // settings of the case
  double pass_s = 0;
  std::vector<ProfileRow> phases;
  std::vector<ProfileRow> modules;  // over all layers, as merged_name
  std::vector<ProfileRow> operators;
  std::optional<double> peak_bytes = {};  // where memory was recorded
  std::vector<EventCount> counters = {};  // of a pass without the profiler; empty: of a version that counts none
  std::optional<double> unprofiled_mean_s = {};
  std::optional<double> unprofiled_median_s = {};
  std::optional<double> profiled_median_s = {};  // nothing: of a file without latencies
  std::optional<double> slow_pass_ratio = {};    // as of the function of that name
  std::string counted_by = {};                   // as in Profile
};

ProfileSummary profile_summary(const std::string& label, const Json& requested, const Profile& profile);
/// Of a case as `profile --format json` writes it. Throws Json::exception for another form.
ProfileSummary profile_summary_from(const Json& profiled_case);

/// "engine pytorch → fast": of every setting that differs, "-" for one that a case does not have.
std::vector<std::string> changed_settings(const ProfileSummary& before, const ProfileSummary& after);
/// The same of settings that make other work, which is not compared (docs/measurement.md, rule 10): of those that both
/// have, or else of all.
std::vector<std::string> changed_work(const ProfileSummary& before, const ProfileSummary& after);
/// Whether no setting of the workload differs.
bool is_same_work(const ProfileSummary& before, const ProfileSummary& after);

/// A name with its self time in both; nothing where a profile does not have it.
struct ComparedRow {
  std::string name;
  std::optional<double> before_s;
  std::optional<double> after_s;
  double change_s() const { return after_s.value_or(0) - before_s.value_or(0); }
};

/// Of every name in either, the largest change first.
std::vector<ComparedRow> compared_rows(const std::vector<ProfileRow>& before, const std::vector<ProfileRow>& after);

}  // namespace transformeter
