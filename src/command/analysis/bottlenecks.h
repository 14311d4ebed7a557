// Which calls of which modules take most of a pass, and what keeps them from being faster.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/profile.h"

namespace transformeter {

/// What the machine was measured to do at most, with the case's threads and precision; nothing: not measured.
struct ProfileLimits {
  std::optional<double> flops_per_s;
  std::optional<double> bytes_per_s;
  std::string missing = {};  // why one or both are not known; empty: both are, or nobody said
};

/// From a case's effective settings, whose `peaks` (docs/results.md) have a value each or the reason why there is none;
/// without them none is known. A peak that was measured beside other work is not known.
ProfileLimits profile_limits(const Json& effective);

enum class BottleneckBound {
  kCompute,   // at half of the peak of products, or more
  kMemory,    // at half of the memory's bandwidth, or more
  kCache,     // faster than memory: its data lies in a cache
  kOverhead,  // of calls so short that starting them counts; on a GPU, that the host takes longer to launch
  kOther,     // far from both limits
  kUnknown,   // its work, or the limit of a part of it, is not known
};

/// "compute", "memory", "cache", "overhead", "other", "unknown".
std::string_view name_of(BottleneckBound bound);

/// One operator in one module, all layers together, in one pass; of a training step or a request in one of its stages.
struct Bottleneck {
  std::optional<ProfileStage> stage;  // nothing: of a forward pass, or outside of all stages
  std::string module;                 // numbers of layers as "*"; empty: none
  std::string operator_name;
  double calls = 0;
  double self_s = 0;
  double share = 0;  // of the pass
  double flops = 0;
  double bytes = 0;
  double host_s = 0;  // with a GPU alone, of its calls on the host
  BottleneckBound bound = BottleneckBound::kUnknown;
  std::optional<double> limit_s;  // what it would take at the limit; nothing where it is faster than that
};

/// The `most` longest, the longest first; fewer where there are fewer.
std::vector<Bottleneck> find_bottlenecks(const Profile& profile, const ProfileLimits& limits, std::size_t most = 3);

/// "backward of distilbert.transformer.layer.*.ffn.lin1, aten::mm: 5.2 ms of 18.6 ms (28 %) in 6 calls. Bound by
/// compute ...".
std::string bottleneck_sentence(const Bottleneck& one, const ProfileLimits& limits);

}  // namespace transformeter
