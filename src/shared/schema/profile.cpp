// Nodes as JSON and back. What comes back is a tree of sound numbers, or is refused.
#include "schema/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

struct KindName {
  ProfileNodeKind kind;
  std::string_view name;
};
constexpr std::array kKindNames{KindName{ProfileNodeKind::kPass, "pass"}, KindName{ProfileNodeKind::kModule, "module"},
                                KindName{ProfileNodeKind::kOperator, "operator"},
                                KindName{ProfileNodeKind::kStreams, "streams"},
                                KindName{ProfileNodeKind::kStage, "stage"}};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kProtocol, fmt::format("a profile is malformed: {}", what));
}

ProfileNodeKind node_kind_from_name(const std::string& name) {
  const auto* found =
      std::find_if(kKindNames.begin(), kKindNames.end(), [&](const KindName& known) { return known.name == name; });
  if (found == kKindNames.end()) refuse(fmt::format("no kind of node is called '{}'", excerpt(name)));
  return found->kind;
}

std::optional<ProfilePhase> phase_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto name = json.get<std::string>();
  const auto phase = profile_phase_from_name(name);
  if (!phase) refuse(fmt::format("no phase is called '{}'", excerpt(name)));
  return phase;
}

// Times and counts: of a worker that lies, none may be negative or no number.
double amount(const Json& json, const char* what) {
  const auto value = json.get<double>();
  if (!std::isfinite(value) || value < 0) refuse(fmt::format("{} is {}", what, value));
  return value;
}

std::vector<double> amounts(const Json& json, const char* what) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(amount(value, what));
  return values;
}

std::int64_t count_of(const Json& json, const char* name, std::int64_t least) {
  const auto count = whole_field<std::int64_t>(json.at(name), name);
  if (count < least) refuse(fmt::format("{} is {}", name, count));
  return count;
}

Json node_json(const ProfileNode& node) {
  return {{"parent", node.parent}, {"kind", name_of(node.kind)},
          {"name", node.name},     {"phase", node.phase ? Json(name_of(*node.phase)) : Json()},
          {"calls", node.calls},   {"total_s", node.total_s},
          {"self_s", node.self_s}, {"flops", node.flops},
          {"bytes", node.bytes},   {"allocated_bytes", node.allocated_bytes},
          {"host_s", node.host_s}};
}

ProfileNode node_from_json(const Json& json, std::size_t index) {
  ProfileNode node;
  node.parent = whole_field<std::size_t>(json.at("parent"), "parent");
  node.kind = node_kind_from_name(json.at("kind").get<std::string>());
  json.at("name").get_to(node.name);
  node.phase = phase_from_json(json.at("phase"));
  node.calls = count_of(json, "calls", 0);
  node.total_s = amount(json.at("total_s"), "total_s");
  node.self_s = amount(json.at("self_s"), "self_s");
  node.flops = amount(json.at("flops"), "flops");
  node.bytes = amount(json.at("bytes"), "bytes");
  node.allocated_bytes = amount(json.at("allocated_bytes"), "allocated_bytes");
  node.host_s = amount(json.value("host_s", Json(0)), "host_s");
  const bool is_root = index == 0;
  if (is_root != (node.kind == ProfileNodeKind::kPass) || (is_root ? node.parent != 0 : node.parent >= index)) {
    refuse(fmt::format("node {} does not belong to a tree", index));
  }
  if (node.kind == ProfileNodeKind::kStage && !profile_stage_from_name(node.name)) {
    refuse(fmt::format("no stage is called '{}'", excerpt(node.name)));
  }
  if (node.name.size() > kLongestProfileName) refuse(fmt::format("the name of node {} is too long", index));
  return node;
}

StageTime stage_time_from_json(const Json& json) {
  const auto stage = profile_stage_from_name(json.at("stage").get<std::string>());
  if (!stage) refuse("its memory names a stage that there is not");
  const StageTime time{*stage, amount(json.at("begin_s"), "begin_s"), amount(json.at("end_s"), "end_s")};
  if (time.end_s < time.begin_s) refuse("a stage of its memory ends before it begins");
  return time;
}

ProfileMemory memory_from_json(const Json& json, std::size_t nodes) {
  ProfileMemory memory;
  memory.peak_bytes = amount(json.at("peak_bytes"), "peak_bytes");
  memory.peak_s = amount(json.at("peak_s"), "peak_s");
  memory.earlier_bytes = amount(json.at("earlier_bytes"), "earlier_bytes");
  for (const Json& one : json.at("held")) {
    HeldMemory held{whole_field<std::size_t>(one.at("node"), "node"), count_of(one, "blocks", 1),
                    amount(one.at("bytes"), "bytes")};
    if (held.node >= nodes) refuse(fmt::format("its memory names node {}", held.node));
    memory.held.push_back(held);
  }
  for (const Json& point : json.at("timeline")) {
    const double bytes = amount(point.at(1), "bytes");
    // Workers of custom models may be built from an earlier version.
    const double own_bytes =
        point.size() > 2 ? amount(point.at(2), "own_bytes") : std::max(0.0, bytes - memory.earlier_bytes);
    memory.timeline.push_back({amount(point.at(0), "time_s"), bytes, own_bytes});
    if (memory.timeline.back().own_bytes > memory.timeline.back().bytes) refuse("a pass has more memory than there is");
  }
  const bool is_in_order =
      std::is_sorted(memory.timeline.begin(), memory.timeline.end(),
                     [](const MemoryPoint& left, const MemoryPoint& right) { return left.time_s < right.time_s; });
  if (memory.timeline.size() < 2 || !is_in_order || !(memory.timeline.back().time_s > 0)) {
    refuse("its memory has no course");
  }
  if (memory.earlier_bytes > memory.peak_bytes) refuse("more memory was there before than at the peak");
  for (const Json& one : json.at("stages")) memory.stages.push_back(stage_time_from_json(one));
  if (memory.held.size() > nodes || memory.timeline.size() > kMostMemoryPoints ||
      memory.stages.size() > kMostStageTimes) {
    refuse("its memory is too long");
  }
  return memory;
}

Json gpu_json(const ProfileGpu& gpu) {
  Json kernels = Json::array();
  for (const ProfileKernel& one : gpu.kernels) {
    kernels.push_back({{"node", one.node}, {"name", one.name}, {"calls", one.calls}, {"time_s", one.time_s}});
  }
  return {{"kernels", std::move(kernels)}};
}

ProfileGpu gpu_from_json(const Json& json, std::size_t nodes) {
  ProfileGpu gpu;
  for (const Json& one : json.at("kernels")) {
    ProfileKernel kernel{whole_field<std::size_t>(one.at("node"), "node"), one.at("name").get<std::string>(),
                         count_of(one, "calls", 1), amount(one.at("time_s"), "time_s")};
    if (kernel.node >= nodes) refuse(fmt::format("a kernel names node {}", kernel.node));
    if (kernel.name.size() > kLongestProfileName) refuse("the name of a kernel is too long");
    gpu.kernels.push_back(std::move(kernel));
  }
  if (gpu.kernels.size() > kMostProfileKernels) refuse(fmt::format("it has {} kernels", gpu.kernels.size()));
  return gpu;
}

}  // namespace

std::string_view name_of(ProfileNodeKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind)).name;
}

std::optional<ProfilePhase> profile_phase_from_name(std::string_view name) {
  for (const ProfilePhaseName& known : kProfilePhaseNames) {
    if (known.name == name) return known.phase;
  }
  return std::nullopt;
}

std::optional<ProfileStage> profile_stage_from_name(std::string_view name) {
  for (const ProfileStageName& known : kProfileStageNames) {
    if (known.name == name) return known.stage;
  }
  return std::nullopt;
}

void set_recorded(ProfileOptions& options, const std::vector<std::string>& words) {
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  for (const std::string& word : words) {
    const bool is_known = std::find(kRecordWords.begin(), kRecordWords.end(), word) != kRecordWords.end();
    if (!is_known) throw unknown_value("record", word, {kRecordWords.begin(), kRecordWords.end()});
  }
  if (has("none") && words.size() > 1) {
    throw refused_value("record", fmt::format("{}", fmt::join(words, ",")), "'none' goes with nothing else");
  }
  options.work = has("work");
  options.memory = has("memory");
}

Json to_json(const ProfileOptions& options) {
  return {{"work", options.work},
          {"memory", options.memory},
          {"passes", options.passes ? Json(*options.passes) : Json()},
          {"trace_file", options.trace_file}};
}

ProfileOptions profile_options_from_json(const Json& json) {
  ProfileOptions options;
  json.at("work").get_to(options.work);
  json.at("memory").get_to(options.memory);
  if (!json.at("passes").is_null()) options.passes = count_of(json, "passes", 1);
  json.at("trace_file").get_to(options.trace_file);
  return options;
}

Json to_json(const ProfileMemory& memory) {
  Json held = Json::array();
  for (const HeldMemory& one : memory.held) {
    held.push_back({{"node", one.node}, {"blocks", one.blocks}, {"bytes", one.bytes}});
  }
  Json timeline = Json::array();
  for (const MemoryPoint& point : memory.timeline) {
    timeline.push_back({point.time_s, point.bytes, point.own_bytes});
  }
  Json stages = Json::array();
  for (const StageTime& one : memory.stages) {
    stages.push_back({{"stage", name_of(one.stage)}, {"begin_s", one.begin_s}, {"end_s", one.end_s}});
  }
  return {{"peak_bytes", memory.peak_bytes}, {"peak_s", memory.peak_s},         {"earlier_bytes", memory.earlier_bytes},
          {"held", std::move(held)},         {"timeline", std::move(timeline)}, {"stages", std::move(stages)}};
}

Json to_json(const Profile& profile) {
  Json nodes = Json::array();
  for (const ProfileNode& node : profile.nodes) nodes.push_back(node_json(node));
  return {{"nodes", std::move(nodes)},
          {"passes", profile.passes},
          {"batches", profile.batches},
          {"streams", profile.streams},
          {"merged_spans", profile.merged_spans},
          {"unprofiled_s", profile.unprofiled_s},
          {"profiled_s", profile.profiled_s},
          {"memory", profile.memory ? to_json(*profile.memory) : Json()},
          {"gpu", profile.gpu ? gpu_json(*profile.gpu) : Json()},
          {"counters", profile.counters ? to_json(*profile.counters) : Json()},
          {"counted_by", profile.counted_by}};
}

Profile profile_from_json(const Json& json) {
  Profile profile;
  const Json& nodes = json.at("nodes");
  if (!nodes.is_array() || nodes.empty()) refuse("it has no nodes");
  if (nodes.size() > kMostProfileNodes) refuse(fmt::format("it has {} nodes", nodes.size()));
  for (const Json& node : nodes) profile.nodes.push_back(node_from_json(node, profile.nodes.size()));
  profile.passes = count_of(json, "passes", 1);
  profile.batches = count_of(json, "batches", 1);
  profile.streams = count_of(json, "streams", 1);
  profile.merged_spans = count_of(json, "merged_spans", 0);
  profile.unprofiled_s = amounts(json.at("unprofiled_s"), "unprofiled_s");
  profile.profiled_s = amounts(json.at("profiled_s"), "profiled_s");
  // Workers of custom models may be built from an earlier version.
  const Json memory = json.value("memory", Json());
  if (!memory.is_null()) profile.memory = memory_from_json(memory, profile.nodes.size());
  const Json gpu = json.value("gpu", Json());
  if (!gpu.is_null()) profile.gpu = gpu_from_json(gpu, profile.nodes.size());
  const Json counters = json.value("counters", Json());
  if (!counters.is_null()) profile.counters = event_counts_from_json(counters);
  profile.counted_by = json.value("counted_by", std::string());
  if (profile.counted_by.size() > kLongestProfileName) refuse("the name of what counted it is too long");
  if (profile.unprofiled_s.empty() || profile.profiled_s.empty()) refuse("it has no latencies");
  return profile;
}

}  // namespace transformeter
