// Settings are compared first: a case's plan_key tells whether the workload that the profile describes is its own, but
// it holds settings of measuring too, and so is computed from the case's.
#include "analysis/case_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/case_label.h"
#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

std::string work_and_settings(const Json& requested) {
  static const std::vector<std::string> kMeasuring = [] {
    std::vector<std::string> names;
    for (const SettingTerm& term : setting_terms()) {
      if (term.topic == SettingTopic::kMeasuring) names.emplace_back(term.name);
    }
    return names;
  }();
  return key_without(requested, kMeasuring);
}

Json host_value(const Json& host, const char* place) {
  const Json::json_pointer pointer(place);
  return host.is_object() && host.contains(pointer) ? host.at(pointer) : Json();
}

bool is_same_machine(const Json& left, const Json& right) {
  const Json fingerprint = host_value(left, "/fingerprint");
  return fingerprint.is_string() && fingerprint == host_value(right, "/fingerprint");
}

bool is_same_build(const Json& left, const Json& right) {
  return std::ranges::all_of(std::array{"/worker/version", "/worker/git_commit", "/worker/libtorch"},
                             [&](const char* place) { return host_value(left, place) == host_value(right, place); });
}

void warn(const Log& log, const Error& error) {
  if (error.kind() != ErrorKind::kBadInput) throw error;
  if (log) log(LogLevel::kWarning, fmt::format("a profile is left out: {}", error.what()));
}

}  // namespace

std::vector<CaseProfile> profiles_of_cases(const AnalyzedRun& run, const std::vector<ProfileRecord>& records) {
  std::multimap<std::string, const ProfileRecord*> candidates;  // those of one key keep their order
  for (const ProfileRecord& one : records) {
    if (one.is_ok() && is_same_machine(one.host, run.run->host)) {
      candidates.emplace(work_and_settings(one.requested), &one);
    }
  }
  std::vector<CaseProfile> profiles;
  std::set<const ProfileRecord*> taken;
  for (const AnalyzedCase& one : run.cases) {
    const CaseRecord& asked = *one.record;
    const auto [first, last] = candidates.equal_range(work_and_settings(asked.requested));
    const auto found = std::find_if(first, last, [&](const auto& candidate) {
      return plan_key(asked.requested, candidate.second->workload) == asked.plan_key;
    });
    if (found == last || !taken.insert(found->second).second) continue;
    profiles.push_back({*found->second, !is_same_build(found->second->host, run.run->host)});
  }
  return profiles;
}

RunProfiles load_run_profiles(ProfileStore& store, const AnalyzedRun& run, const Log& log) {
  RunProfiles profiles;
  std::vector<ProfileRecord> records;
  try {
    records = store.list();
  } catch (const Error& error) {
    warn(log, error);
  }
  for (CaseProfile& one : profiles_of_cases(run, records)) {
    if (profiles.shown.size() == kMostShownProfiles) {
      ++profiles.left_out;
      continue;
    }
    try {
      one.record.profile = store.profile_of(one.record);
    } catch (const Error& error) {
      warn(log, error);
    }
    if (one.record.profile) profiles.shown.push_back(std::move(one));
  }
  return profiles;
}

}  // namespace transformeter
