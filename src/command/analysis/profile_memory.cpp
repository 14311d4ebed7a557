// Nodes that share a place are added up.
#include "analysis/profile_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/profile_tables.h"
#include "base/units.h"

namespace transformeter {
namespace {

std::string outermost_operator(const Profile& profile, std::size_t node) {
  std::string name = kOutsideOperators;
  for (std::size_t at = node; at != 0 && profile.nodes[at].kind == ProfileNodeKind::kOperator;
       at = profile.nodes[at].parent) {
    name = profile.nodes[at].name;
  }
  return name;
}

}  // namespace

std::vector<HeldRow> held_rows(const Profile& profile) {
  std::vector<HeldRow> rows;
  if (!profile.memory) return rows;
  const std::vector<std::string> modules = modules_of_nodes(profile);
  const std::vector<std::optional<ProfileStage>> stages = stages_of_nodes(profile);
  std::map<std::tuple<std::optional<ProfileStage>, std::string, std::string>, std::size_t> places;
  for (const HeldMemory& held : profile.memory->held) {
    const std::string module = modules[held.node].empty() ? kOutsideModules : merged_name(modules[held.node]);
    const std::string name = outermost_operator(profile, held.node);
    const auto [place, is_new] = places.try_emplace({stages[held.node], module, name}, rows.size());
    if (is_new) rows.push_back({.stage = stages[held.node], .module = module, .operator_name = name});
    rows[place->second].blocks += held.blocks;
    rows[place->second].bytes += held.bytes;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const HeldRow& left, const HeldRow& right) { return left.bytes > right.bytes; });
  return rows;
}

std::string held_name(const HeldRow& row) {
  std::string name = row.module;
  if (row.operator_name != kOutsideOperators) {
    name = row.module == kOutsideModules ? row.operator_name : fmt::format("{}, {}", row.module, row.operator_name);
  }
  return row.stage ? fmt::format("{}: {}", name_of(*row.stage), name) : name;
}

std::string memory_text(const Profile& profile) {
  const ProfileMemory& memory = *profile.memory;
  const std::string highest = profile.passes > 1 ? fmt::format(" with the highest of {}", profile.passes) : "";
  return fmt::format("peak of {} at {} of {}, in the {}{}; {} from before", format_bytes(memory.peak_bytes),
                     format_duration(memory.peak_s), format_duration(memory.timeline.back().time_s),
                     profile.nodes.front().name, highest, format_bytes(memory.earlier_bytes));
}

}  // namespace transformeter
