// Rows meet by their names.
#include "analysis/compared_profiles.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace transformeter {
namespace {

// The self times of modules of one name in all layers.
std::vector<ProfileRow> merged_rows(const std::vector<ProfileRow>& modules) {
  std::map<std::string, ProfileRow> merged;
  for (const ProfileRow& module : modules) {
    ProfileRow& row = merged[merged_name(module.name)];
    row.name = merged_name(module.name);
    row.calls += module.calls;
    row.self_s += module.self_s;
  }
  std::vector<ProfileRow> rows;
  for (auto& [name, row] : merged) rows.push_back(std::move(row));
  return rows;
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

ProfileSummary profile_summary(const std::string& label, const Profile& profile) {
  std::vector<ProfileRow> modules;
  for (const ProfileModule& module : module_rows(profile)) modules.push_back(module.row);
  return {label, pass_s(profile), phase_rows(profile), merged_rows(modules), operator_rows(profile)};
}

ProfileSummary profile_summary_from(const Json& profiled_case) {
  try {
    return {profiled_case.at("label").get<std::string>(), profiled_case.at("pass_s").get<double>(),
            rows_from(profiled_case.at("phases")), merged_rows(rows_from(profiled_case.at("modules"))),
            rows_from(profiled_case.at("operators"))};
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kBadInput, std::string("no profile as `profile --format json` writes it: ") + error.what());
  }
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
