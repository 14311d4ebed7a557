// Settings are compared first: a case's plan_key tells whether the workload that the profile describes is its own, but
// it holds settings of measuring too, and so is computed from the case's.
#include "analysis/case_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/case_label.h"
#include "analysis/run_facts.h"
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

bool is_same_machine(const Json& left, const Json& right) {
  const std::string fingerprint = fact_text(left, kFingerprintPlace);
  return fingerprint != kUnknownFact && fingerprint == fact_text(right, kFingerprintPlace);
}

// Settings are not compared: a profile belongs to a case only where they are the same. Nor is the command, which is not
// timed.
std::vector<Difference> differences_from(const RunRecord& run, const CaseRecord& measured,
                                         const ProfileRecord& profile) {
  RunRecord its_run;
  its_run.host = profile.host;
  its_run.settings = run.settings;
  CaseRecord its_case;
  its_case.requested = measured.requested;
  its_case.effective = profile.effective;
  std::vector<Difference> differences =
      differences_between({&run, {&measured}}, {&its_run, {&its_case}}, {{&measured, &its_case, ""}});
  std::erase_if(differences, [](const Difference& one) { return one.cause == Cause::kProgram; });
  return differences;
}

bool is_of_other_gpu(const CaseProfile& profile) {
  return std::ranges::any_of(profile.differences, [](const Difference& one) { return one.cause == Cause::kDevice; });
}

bool is_bad_input(const Error& error) {
  return error.kind() == ErrorKind::kBadInput;
}

void warn(const Log& log, std::string_view consequence, const Error& error) {
  if (log) log(LogLevel::kWarning, fmt::format("{}: {}", consequence, error.what()));
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
  for (std::size_t place = 0; place < run.cases.size(); ++place) {
    const CaseRecord& asked = *run.cases[place].record;
    const auto [first, last] = candidates.equal_range(work_and_settings(asked.requested));
    for (auto candidate = first; candidate != last; ++candidate) {
      const ProfileRecord& record = *candidate->second;
      if (plan_key(asked.requested, record.workload) != asked.plan_key) continue;
      CaseProfile found{record, place, differences_from(*run.run, asked, record)};
      if (is_of_other_gpu(found)) continue;
      if (taken.insert(&record).second) profiles.push_back(std::move(found));
      break;
    }
  }
  return profiles;
}

std::vector<ProfileRecord> listed_profiles(ProfileStore& store, const Log& log) {
  try {
    return store.list();
  } catch (const Error& error) {
    if (!is_bad_input(error)) throw;
    warn(log, "no profile is shown", error);
    return {};
  }
}

RunProfiles load_run_profiles(ProfileStore& store, const std::vector<ProfileRecord>& listed, const AnalyzedRun& run,
                              const Log& log) {
  RunProfiles profiles;
  for (CaseProfile& one : profiles_of_cases(run, listed)) {
    if (profiles.shown.size() == kMostShownProfiles) {
      ++profiles.left_out;
      continue;
    }
    try {
      one.record.profile = store.profile_of(one.record);
    } catch (const Error& error) {
      if (!is_bad_input(error)) throw;
      warn(log, "a profile is left out", error);
    }
    if (one.record.profile) profiles.shown.push_back(std::move(one));
  }
  return profiles;
}

}  // namespace transformeter
