// Rows meet by their names.
#include "analysis/compared_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/profile_counters.h"
#include "metrics/case_settings.h"
#include "schema/settings.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

Json value_of(const ProfileSummary& summary, const SettingTerm& term) {
  return summary.requested.value(std::string(term.name), Json());
}

bool differs(const ProfileSummary& before, const ProfileSummary& after, const SettingTerm& term) {
  return value_of(before, term) != value_of(after, term);
}

bool is_of_work(const SettingTerm& term) {
  return term.group == SettingGroup::kWorkload || term.name == "scenario";
}

std::string value_text(const ProfileSummary& summary, const SettingTerm& term) {
  const Json value = value_of(summary, term);
  return value.is_null() ? "-" : setting_text(value);
}

std::string change_text(const ProfileSummary& before, const ProfileSummary& after, const SettingTerm& term) {
  return fmt::format("{} {} → {}", term.name, value_text(before, term), value_text(after, term));
}

std::vector<ProfileRow> rows_from(const Json& list) {
  std::vector<ProfileRow> rows;
  for (const Json& json : list) {
    ProfileRow row;
    row.name = json.at("name").get<std::string>();
    row.calls = json.at("calls").get<double>();
    row.self_s = json.at("self_s").get<double>();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

ProfileSummary profile_summary(const std::string& label, const Json& requested, const Profile& profile) {
  ProfileSummary summary{
      label, requested, pass_s(profile), phase_rows(profile), merged_module_rows(profile), operator_rows(profile)};
  if (profile.memory) summary.peak_bytes = profile.memory->peak_bytes;
  if (profile.counters) summary.counters = *profile.counters;
  summary.unprofiled_mean_s = unprofiled_mean_s(profile.unprofiled_s);
  summary.unprofiled_median_s = median_of(profile.unprofiled_s);
  summary.counted_by = profile.counted_by;
  summary.profiled_median_s = median_of(profile.profiled_s);
  summary.slow_pass_ratio = slow_pass_ratio(profile.profiled_s, profile.batches, requested);
  return summary;
}

ProfileSummary profile_summary_from(const Json& profiled_case) {
  ProfileSummary summary{profiled_case.at("label").get<std::string>(),
                         profiled_case.at("requested"),
                         profiled_case.at("pass_s").get<double>(),
                         rows_from(profiled_case.at("phases")),
                         merged_rows(rows_from(profiled_case.at("modules"))),
                         rows_from(profiled_case.at("operators"))};
  const Json memory = profiled_case.value("memory", Json());
  if (memory.is_object()) summary.peak_bytes = memory.at("peak_bytes").get<double>();
  const Json counters = profiled_case.value("counters", Json());
  if (counters.is_object()) summary.counters = event_counts_from_named_json(counters);
  const auto unprofiled_s = profiled_case.value("unprofiled_s", std::vector<double>());
  summary.unprofiled_mean_s = unprofiled_mean_s(unprofiled_s);
  summary.unprofiled_median_s = median_of(unprofiled_s);
  summary.counted_by = text_of_path(profiled_case, {"counted_by"}).value_or("");
  const auto profiled_s = profiled_case.value("profiled_s", std::vector<double>());
  summary.profiled_median_s = median_of(profiled_s);
  summary.slow_pass_ratio =
      slow_pass_ratio(profiled_s, profiled_case.value("batches", std::int64_t{0}), summary.requested);
  return summary;
}

std::vector<std::string> changed_settings(const ProfileSummary& before, const ProfileSummary& after) {
  std::vector<std::string> changes;
  for (const SettingTerm& term : setting_terms()) {
    if (!differs(before, after, term)) continue;
    changes.push_back(change_text(before, after, term));
  }
  return changes;
}

std::vector<std::string> changed_work(const ProfileSummary& before, const ProfileSummary& after) {
  std::vector<std::string> of_both;
  std::vector<std::string> of_one;
  for (const SettingTerm& term : setting_terms()) {
    if (!is_of_work(term) || !differs(before, after, term)) continue;
    const bool has_both = !value_of(before, term).is_null() && !value_of(after, term).is_null();
    (has_both ? of_both : of_one).push_back(change_text(before, after, term));
  }
  return of_both.empty() ? of_one : of_both;
}

bool is_same_work(const ProfileSummary& before, const ProfileSummary& after) {
  const auto terms = setting_terms();
  return std::none_of(terms.begin(), terms.end(),
                      [&](const SettingTerm& term) { return is_of_work(term) && differs(before, after, term); });
}

std::vector<ComparedRow> compared_rows(const std::vector<ProfileRow>& before, const std::vector<ProfileRow>& after) {
  std::map<std::string, ComparedRow> rows;
  for (const ProfileRow& row : before) rows[row.name].before_s = row.self_s;
  for (const ProfileRow& row : after) rows[row.name].after_s = row.self_s;
  std::vector<ComparedRow> sorted;
  for (auto& [name, row] : rows) {
    row.name = name;
    sorted.push_back(std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ComparedRow& a, const ComparedRow& b) {
    return std::abs(a.change_s()) > std::abs(b.change_s());
  });
  return sorted;
}

}  // namespace transformeter
