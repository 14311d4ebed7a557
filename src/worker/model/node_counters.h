// What another library counts of the nodes of a graph that it runs, in the terms of a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

/// A part of the model, in one of the places where it is computed.
struct ModelScope {
  std::size_t parent = 0;   // its index, smaller than the scope's own; the root's is 0
  std::string module = {};  // as the checkpoint names it; empty: that around it
  std::optional<ProfilePhase> phase = {};

  bool operator==(const ModelScope&) const = default;
};

/// Sums over the passes that were counted.
struct CountedNode {
  std::size_t scope = 0;  // of NodeCounts; the root where no module is known
  std::string name = {};  // what a table shows: operator, and kernel where it is known
  std::int64_t calls = 0;
  double self_s = 0;
  double flops = 0;  // 0: none, or not known
  double bytes = 0;  // 0: not known
};

struct NodeCounts {
  std::string library;             // with its version: "OpenVINO 2026.4.1"
  std::vector<ModelScope> scopes;  // the root first
  std::vector<CountedNode> nodes;  // those that ran, in the order of a pass
  double call_s = 0;               // in the library altogether
};

class NodeCounters {
 public:
  virtual ~NodeCounters() = default;
  /// Passes from now on count; those before it warmed up each shape that is to come.
  virtual void begin() = 0;
  /// Once, after `begin` and a pass. Throws Error(kEnvironment) where the counts cannot be read.
  virtual NodeCounts end() = 0;
};

}  // namespace transformeter
