// Each table is one walk over the nodes, parents before children.
#include "analysis/profile_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "schema/case.h"
#include "schema/settings.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

bool is_number(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Adds what nodes do themselves, in one pass.
class OwnWork {
 public:
  explicit OwnWork(const Profile& profile)
      : profile_(profile), stages_(stages_of_nodes(profile)), passes_(static_cast<double>(profile.passes)) {}

  void add_to(ProfileRow& row, std::size_t index) const {
    const ProfileNode& node = profile_.nodes[index];
    row.self_s += node.self_s / passes_;
    if (stages_[index] == ProfileStage::kBackward) row.backward_s += node.self_s / passes_;
    if (stages_[index] == ProfileStage::kDecode) row.decode_s += node.self_s / passes_;
    row.flops += node.flops / passes_;
    row.bytes += node.bytes / passes_;
    row.allocated_bytes += node.allocated_bytes / passes_;
    row.host_s += node.host_s / passes_;
  }

 private:
  const Profile& profile_;
  std::vector<std::optional<ProfileStage>> stages_;
  double passes_;
};

bool is_idle_gpu(const Profile& profile, std::size_t index) {
  return profile.gpu && index == 0;
}

std::string operator_name(const Profile& profile, std::size_t index) {
  const ProfileNode& node = profile.nodes[index];
  if (is_idle_gpu(profile, index)) return kIdleGpu;
  if (node.kind == ProfileNodeKind::kOperator) return node.name;
  return node.kind == ProfileNodeKind::kStreams ? kIdleStreams : kOutsideOperators;
}

bool lies_in_same(const std::vector<ProfileNode>& nodes, std::size_t index) {
  for (std::size_t at = index; at != 0;) {
    at = nodes[at].parent;
    if (nodes[at].kind == nodes[index].kind && nodes[at].name == nodes[index].name) return true;
  }
  return false;
}

void longest_first(std::vector<ProfileRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& left, const ProfileRow& right) { return left.self_s > right.self_s; });
}

// Rows by name, in the order in which the names came.
class Rows {
 public:
  ProfileRow& at(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back({.name = name});
    return rows_[place->second];
  }
  std::vector<ProfileRow> take() { return std::move(rows_); }

 private:
  std::vector<ProfileRow> rows_;
  std::map<std::string, std::size_t> places_;
};

// Rows of these names, each with the nodes that `name_of_node` gives to it; calls are those of nodes of one kind. Names
// without any have no row.
std::vector<ProfileRow> rows_named(const Profile& profile, const std::vector<std::string_view>& names,
                                   ProfileNodeKind counted,
                                   const std::function<std::string_view(std::size_t)>& name_of_node) {
  const OwnWork own(profile);
  Rows rows;
  for (const std::string_view name : names) rows.at(std::string(name));
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    ProfileRow& row = rows.at(std::string(name_of_node(i)));
    own.add_to(row, i);
    row.total_s = row.self_s;
    const ProfileNode& node = profile.nodes[i];
    if (node.kind == counted) row.calls += static_cast<double>(node.calls) / static_cast<double>(profile.passes);
  }
  std::vector<ProfileRow> all = rows.take();
  std::erase_if(all, [](const ProfileRow& row) { return row.self_s == 0 && row.calls == 0; });
  return all;
}

// Prefixes that hold the same as their only child are left out: nobody named them. The child stands for them, and so at
// their depth.
std::vector<ProfileModule> without_empty_levels(std::vector<ProfileModule> modules) {
  std::vector<ProfileModule> kept;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const ProfileRow& row = modules[i].row;
    const bool has_child = i + 1 < modules.size() && modules[i + 1].row.name.starts_with(row.name + ".");
    const bool is_empty =
        row.calls == 0 && row.self_s == 0 && has_child && modules[i + 1].row.total_s >= row.total_s * (1 - 1e-9);
    if (is_empty) modules[i + 1].depth = modules[i].depth;
    if (!is_empty) kept.push_back(std::move(modules[i]));
  }
  return kept;
}

}  // namespace

double pass_s(const Profile& profile) {
  return profile.nodes.front().total_s / static_cast<double>(profile.passes);
}

double self_time_ratio(const Profile& profile) {
  const double self_s = std::accumulate(profile.nodes.begin(), profile.nodes.end(), 0.0,
                                        [](double sum, const ProfileNode& node) { return sum + node.self_s; });
  const double measured_s = std::accumulate(profile.profiled_s.begin(), profile.profiled_s.end(), 0.0);
  return measured_s > 0 ? self_s / measured_s : 0;
}

std::optional<double> gpu_busy_s(const Profile& profile) {
  if (!profile.gpu) return std::nullopt;
  return (profile.nodes.front().total_s - profile.nodes.front().self_s) / static_cast<double>(profile.passes);
}

double slow_down_ratio(const Profile& profile) {
  const double without_s = median_of(profile.unprofiled_s).value_or(0);
  return without_s > 0 ? median_of(profile.profiled_s).value_or(0) / without_s : 0;
}

std::optional<double> slow_pass_ratio(const std::vector<double>& profiled_s, std::int64_t batches,
                                      const Json& requested) {
  // Passes of the same work scatter by some percent where nothing disturbs them.
  constexpr double kDisturbedRatio = 1.25;
  const std::optional<Summary> timed = summarize(profiled_s);
  const bool has_drawn_sounds = reads_audio(requested) && text_of_path(requested, {"data"}) == kSyntheticData;
  const bool has_images_alone = reads_images(requested) && !has_captions(requested);
  const bool has_equal_steps = has_filled_rows(requested) || has_images_alone || has_drawn_sounds;
  const bool is_one_work = batches == 1 && (!is_train(requested) || has_equal_steps);
  if (!timed || !is_one_work || !(timed->median > 0)) return std::nullopt;
  const double ratio = timed->mean / timed->median;
  return ratio > kDisturbedRatio ? std::optional(ratio) : std::nullopt;
}

std::vector<ProfileRow> operator_rows(const Profile& profile) {
  const auto passes = static_cast<double>(profile.passes);
  const OwnWork own(profile);
  Rows rows;
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const ProfileNode& node = profile.nodes[i];
    ProfileRow& row = rows.at(operator_name(profile, i));
    own.add_to(row, i);
    if (node.kind != ProfileNodeKind::kOperator) {
      row.total_s += node.self_s / passes;
      continue;
    }
    row.calls += static_cast<double>(node.calls) / passes;
    if (!lies_in_same(profile.nodes, i)) row.total_s += node.total_s / passes;
  }
  std::vector<ProfileRow> sorted = rows.take();
  longest_first(sorted);
  return sorted;
}

std::vector<std::string> modules_of_nodes(const Profile& profile) {
  std::vector<std::string> modules(profile.nodes.size());
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const ProfileNode& node = profile.nodes[i];
    modules[i] = node.kind == ProfileNodeKind::kModule ? node.name : i == 0 ? "" : modules[node.parent];
  }
  return modules;
}

std::vector<std::optional<ProfileStage>> stages_of_nodes(const Profile& profile) {
  std::vector<std::optional<ProfileStage>> stages(profile.nodes.size());
  for (std::size_t i = 1; i < profile.nodes.size(); ++i) {
    const ProfileNode& node = profile.nodes[i];
    stages[i] = node.kind == ProfileNodeKind::kStage ? profile_stage_from_name(node.name) : stages[node.parent];
  }
  return stages;
}

std::vector<ProfileModule> module_rows(const Profile& profile) {
  const auto passes = static_cast<double>(profile.passes);
  const OwnWork own(profile);
  const std::vector<std::string> modules = modules_of_nodes(profile);
  Rows rows;
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const ProfileNode& node = profile.nodes[i];
    if (modules[i].empty()) {
      ProfileRow& row = rows.at(is_idle_gpu(profile, i) ? kIdleGpu : kOutsideModules);
      own.add_to(row, i);
      row.total_s += node.self_s / passes;
      continue;
    }
    const std::vector<std::string> parts = split(modules[i], '.');
    std::string prefix;
    for (const std::string& part : parts) {
      if (!prefix.empty()) prefix += '.';
      prefix += part;
      rows.at(prefix).total_s += node.self_s / passes;
    }
    ProfileRow& row = rows.at(modules[i]);
    own.add_to(row, i);
    const bool is_inner = i > 0 && modules[node.parent] == modules[i];
    if (node.kind == ProfileNodeKind::kModule && !is_inner) row.calls += static_cast<double>(node.calls) / passes;
  }
  std::vector<ProfileModule> all;
  std::vector<ProfileModule> outside;
  for (ProfileRow& row : rows.take()) {
    const bool is_outside = row.name == kOutsideModules || row.name == kIdleGpu;
    const std::size_t depth = is_outside ? 1 : split(row.name, '.').size();
    (is_outside ? outside : all).push_back({std::move(row), depth});
  }
  all = without_empty_levels(std::move(all));
  all.insert(all.end(), outside.begin(), outside.end());
  return all;
}

std::string calls_number(double calls) {
  const double whole = std::round(calls);
  return std::abs(calls - whole) < 1e-6 ? fmt::format("{:.0f}", whole) : format_number(calls);
}

std::string calls_text(double calls) {
  const std::string number = calls_number(calls);
  return number == "1" ? "1 call" : number + " calls";
}

std::string merged_name(const std::string& module) {
  std::vector<std::string> parts = split(module, '.');
  for (std::string& part : parts) {
    if (is_number(part)) part.assign(1, '*');
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

std::vector<ProfileRow> merged_rows(const std::vector<ProfileRow>& modules) {
  Rows rows;
  for (const ProfileRow& module : modules) {
    ProfileRow& row = rows.at(merged_name(module.name));
    row.calls += module.calls;
    row.total_s += module.total_s;
    row.self_s += module.self_s;
    row.backward_s += module.backward_s;
    row.decode_s += module.decode_s;
    row.flops += module.flops;
    row.bytes += module.bytes;
    row.allocated_bytes += module.allocated_bytes;
    row.host_s += module.host_s;
  }
  std::vector<ProfileRow> sorted = rows.take();
  longest_first(sorted);
  return sorted;
}

std::vector<ProfileRow> merged_module_rows(const Profile& profile) {
  std::vector<ProfileRow> modules;
  for (ProfileModule& module : module_rows(profile)) modules.push_back(std::move(module.row));
  return merged_rows(modules);
}

std::vector<ProfileRow> phase_rows(const Profile& profile) {
  const std::vector<std::optional<ProfileStage>> stages = stages_of_nodes(profile);
  std::vector<std::string_view> names{name_of(ProfileStage::kData)};
  for (const ProfilePhaseName& known : kProfilePhaseNames) names.push_back(known.name);
  names.insert(names.end(), {name_of(ProfileStage::kOptimizer), kOtherPhase});
  if (profile.gpu) names.emplace_back(kIdleGpu);
  return rows_named(profile, names, ProfileNodeKind::kOperator, [&](std::size_t i) -> std::string_view {
    if (is_idle_gpu(profile, i)) return kIdleGpu;
    if (const auto phase = profile.nodes[i].phase) return name_of(*phase);
    const bool has_no_phases = stages[i] == ProfileStage::kData || stages[i] == ProfileStage::kOptimizer;
    return has_no_phases ? name_of(*stages[i]) : kOtherPhase;
  });
}

std::vector<ProfileRow> stage_rows(const Profile& profile) {
  const std::vector<std::optional<ProfileStage>> stages = stages_of_nodes(profile);
  if (std::none_of(stages.begin(), stages.end(), [](const auto& stage) { return stage.has_value(); })) return {};
  std::vector<std::string_view> names;
  for (const ProfileStageName& known : kProfileStageNames) names.push_back(known.name);
  names.emplace_back(kOtherPhase);
  if (profile.gpu) names.emplace_back(kIdleGpu);
  return rows_named(profile, names, ProfileNodeKind::kStage, [&](std::size_t i) -> std::string_view {
    if (is_idle_gpu(profile, i)) return kIdleGpu;
    return stages[i] ? name_of(*stages[i]) : kOtherPhase;
  });
}

std::vector<ProfileRow> kernel_rows(const Profile& profile) {
  if (!profile.gpu) return {};
  const auto passes = static_cast<double>(profile.passes);
  const std::vector<std::optional<ProfileStage>> stages = stages_of_nodes(profile);
  Rows rows;
  for (const ProfileKernel& kernel : profile.gpu->kernels) {
    ProfileRow& row = rows.at(kernel.name);
    const double time_s = kernel.time_s / passes;
    row.calls += static_cast<double>(kernel.calls) / passes;
    row.self_s += time_s;
    row.total_s = row.self_s;
    if (stages[kernel.node] == ProfileStage::kBackward) row.backward_s += time_s;
    if (stages[kernel.node] == ProfileStage::kDecode) row.decode_s += time_s;
  }
  std::vector<ProfileRow> sorted = rows.take();
  longest_first(sorted);
  return sorted;
}

std::optional<std::size_t> layer_depth(const Profile& profile) {
  std::optional<std::size_t> least;
  for (const ProfileNode& node : profile.nodes) {
    if (node.kind != ProfileNodeKind::kModule) continue;
    const std::vector<std::string> parts = split(node.name, '.');
    const auto number = std::find_if(parts.begin(), parts.end(), is_number);
    if (number == parts.end()) continue;
    const auto depth = static_cast<std::size_t>(number - parts.begin()) + 1;
    least = std::min(least.value_or(depth), depth);
  }
  return least;
}

}  // namespace transformeter
