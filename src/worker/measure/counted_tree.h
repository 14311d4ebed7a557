// From what another library counted of its nodes to the tree of a Profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "model/node_counters.h"
#include "schema/profile.h"

namespace transformeter {

/// The operator whose self time is what the library's calls took beside their nodes.
inline constexpr const char* kBesideNodes = "(library, outside nodes)";

struct CountedTree {
  std::vector<ProfileNode> nodes;  // the root first, then as they ran, each after its parent
  std::int64_t merged_calls = 0;   // that had no room and count with their modules
};

/// `passes_s`: of each pass, all that was done around the library's call included, which is the root's self time. All
/// self times add up to that, or to the sum of the nodes where that is more. A module is called once for each of its
/// scopes in which a node ran. At most `most_nodes`, which is at least 2.
CountedTree counted_tree(const NodeCounts& counts, const std::vector<double>& passes_s,
                         std::size_t most_nodes = kMostProfileNodes);

/// One pass, the mean of `passes`, in Chrome's format: what lies in a node one after the other, in the tree's order,
/// then its own time.
Json mean_pass_trace(const std::vector<ProfileNode>& nodes, std::int64_t passes);

}  // namespace transformeter
