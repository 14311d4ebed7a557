// A roofline for each group of calls (Williams et al. 2009).
#include "analysis/bottlenecks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/profile_tables.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "metrics/disturbed_peak.h"
#include "schema/peak.h"

namespace transformeter {
namespace {

// A limit that explains less than half of the time does not bound it.
constexpr double kLeastShare = 0.5;
// Dispatching an operator takes some microseconds: a call of this length is not long against it.
constexpr double kShortCallS = 10e-6;

struct KnownLimit {
  std::optional<double> rate;
  std::string reason;  // why there is none; empty: nobody said
};

KnownLimit limit_of(const Json& effective, const char* kind) {
  const auto rate = number_of_path(effective, {"peaks", kind, "value"});
  if (!rate) return {std::nullopt, text_of_path(effective, {"peaks", kind, "reason"}).value_or("")};
  const auto load = number_of_path(effective, {"peaks", kind, "foreign_load"});
  if (!is_disturbed_peak(load)) return {rate, ""};
  return {std::nullopt, fmt::format("{} was {}; run `transformeter peaks --force` on a quiet machine",
                                    text_of_path(effective, {"peaks", kind, "quantity"}).value_or("the peak"),
                                    disturbance_text(*load))};
}

double time_at(double amount, const std::optional<double>& rate) {
  return rate && *rate > 0 ? amount / *rate : 0;
}

// A limit that is not known may be the nearer one.
bool knows_limits(const Bottleneck& one, const ProfileLimits& limits) {
  return (one.flops == 0 || limits.flops_per_s) && (one.bytes == 0 || limits.bytes_per_s);
}

// FLOPs and bytes of profiles that did not record them are 0.
bool has_work(const Profile& profile) {
  return std::ranges::any_of(profile.nodes, [](const ProfileNode& one) { return one.flops > 0 || one.bytes > 0; });
}

void judge(Bottleneck& one, const ProfileLimits& limits, const Profile& profile) {
  const double compute_s = time_at(one.flops, limits.flops_per_s);
  const double memory_s = time_at(one.bytes, limits.bytes_per_s);
  const double longer_s = std::max(compute_s, memory_s);
  const bool is_known = has_work(profile) && knows_limits(one, limits);
  const bool has_gpu = profile.gpu.has_value();
  if (longer_s > 0) one.limit_s = longer_s;
  if (is_known && compute_s >= memory_s && compute_s >= kLeastShare * one.self_s && compute_s > 0) {
    one.bound = BottleneckBound::kCompute;
    if (compute_s > one.self_s) one.limit_s.reset();  // the peak is too low to say
  } else if (memory_s > one.self_s) {
    one.bound = BottleneckBound::kCache;  // whatever the peak of products: its FLOPs took no longer than it did
    one.limit_s = compute_s > 0 ? std::optional(compute_s) : std::nullopt;
  } else if (is_known && memory_s >= kLeastShare * one.self_s && memory_s > 0) {
    one.bound = BottleneckBound::kMemory;
  } else if (is_known && (has_gpu ? one.host_s > one.self_s : one.calls > 0 && one.self_s / one.calls < kShortCallS)) {
    one.bound = BottleneckBound::kOverhead;
  } else if (is_known && compute_s > 0 && memory_s > 0) {
    one.bound = BottleneckBound::kOther;
  } else {
    one.bound = BottleneckBound::kUnknown;
    one.limit_s.reset();
  }
}

std::string limit_text(const Bottleneck& one) {
  return one.limit_s ? fmt::format("; at that limit it would take {}", format_duration(*one.limit_s)) : "";
}

std::string rate_text(double amount, double seconds, double peak, std::string_view quantity) {
  return fmt::format("{} of {}", peak_rate_text(seconds > 0 ? amount / seconds : 0, quantity),
                     peak_rate_text(peak, quantity));
}

std::string bound_text(const Bottleneck& one, const ProfileLimits& limits) {
  const std::string flops = gemm_peak("fp32");
  switch (one.bound) {
    case BottleneckBound::kCompute:
      if (!one.limit_s) {
        return fmt::format("Bound by compute: {}, above the measured peak of {}, which is too low.",
                           peak_rate_text(one.flops / one.self_s, flops),
                           peak_rate_text(limits.flops_per_s.value_or(0), flops));
      }
      return fmt::format("Bound by compute: {}{}.",
                         rate_text(one.flops, one.self_s, limits.flops_per_s.value_or(0), flops), limit_text(one));
    case BottleneckBound::kMemory:
      return fmt::format("Bound by memory: {}{}.",
                         rate_text(one.bytes, one.self_s, limits.bytes_per_s.value_or(0), kReadBandwidthPeak),
                         limit_text(one));
    case BottleneckBound::kCache:
      return "It reads and writes faster than memory can: its data lies in a cache.";
    case BottleneckBound::kOverhead:
      if (one.host_s > 0) {
        return fmt::format("Bound by launch overhead: the host takes {} to launch it.", format_duration(one.host_s));
      }
      return fmt::format("Bound by launch overhead: {} per call.", format_duration(one.self_s / one.calls));
    case BottleneckBound::kOther:
      return fmt::format("Far from the limits of compute and memory, at which it would take {}.",
                         format_duration(one.limit_s.value_or(0)));
    case BottleneckBound::kUnknown:
      break;
  }
  return "What bounds it is not known.";
}

}  // namespace

ProfileLimits profile_limits(const Json& effective) {
  const KnownLimit flops = limit_of(effective, "gemm");
  const KnownLimit bytes = limit_of(effective, kReadBandwidthPeak);
  ProfileLimits limits{flops.rate, bytes.rate, flops.reason};
  if (!bytes.reason.empty() && bytes.reason != flops.reason) {
    limits.missing += (limits.missing.empty() ? "" : "; ") + bytes.reason;
  }
  return limits;
}

std::string_view name_of(BottleneckBound bound) {
  switch (bound) {
    case BottleneckBound::kCompute:
      return "compute";
    case BottleneckBound::kMemory:
      return "memory";
    case BottleneckBound::kCache:
      return "cache";
    case BottleneckBound::kOverhead:
      return "overhead";
    case BottleneckBound::kOther:
      return "other";
    case BottleneckBound::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<Bottleneck> find_bottlenecks(const Profile& profile, const ProfileLimits& limits, std::size_t most) {
  const auto passes = static_cast<double>(profile.passes);
  const std::vector<std::string> modules = modules_of_nodes(profile);
  const std::vector<std::optional<ProfileStage>> stages = stages_of_nodes(profile);
  std::map<std::tuple<std::optional<ProfileStage>, std::string, std::string>, Bottleneck> groups;
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const ProfileNode& node = profile.nodes[i];
    if (node.kind != ProfileNodeKind::kOperator) continue;
    const std::string module = modules[i].empty() ? "" : merged_name(modules[i]);
    Bottleneck& group = groups[{stages[i], module, node.name}];
    group.stage = stages[i];
    group.module = module;
    group.operator_name = node.name;
    group.calls += static_cast<double>(node.calls) / passes;
    group.self_s += node.self_s / passes;
    group.flops += node.flops / passes;
    group.bytes += node.bytes / passes;
    group.host_s += node.host_s / passes;
  }
  std::vector<Bottleneck> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Bottleneck& left, const Bottleneck& right) { return left.self_s > right.self_s; });
  sorted.resize(std::min(sorted.size(), most));
  const double whole_s = pass_s(profile);
  for (Bottleneck& one : sorted) {
    one.share = whole_s > 0 ? one.self_s / whole_s : 0;
    judge(one, limits, profile);
  }
  return sorted;
}

std::string bottleneck_sentence(const Bottleneck& one, const ProfileLimits& limits) {
  const double whole_s = one.share > 0 ? one.self_s / one.share : 0;
  std::string place = one.module;
  if (one.stage) place = fmt::format("{}{}{}", name_of(*one.stage), place.empty() ? "" : " of ", place);
  return fmt::format("{}{}{}: {} of {} ({:.0f} %) in {}. {}", place, place.empty() ? "" : ", ", one.operator_name,
                     format_duration(one.self_s), format_duration(whole_s), one.share * 100, calls_text(one.calls),
                     bound_text(one, limits));
}

}  // namespace transformeter
