// From OpenVINO's counters to what a profile shows. They are means over all passes of a compiled graph, in whole
// microseconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/graph_scopes.h"
#include "model/node_counters.h"
#include "model/node_work.h"

namespace transformeter {

/// The counter of a node. Nodes that were fused into another one follow it and have none of their own.
struct NodeTimer {
  std::string name;
  std::string type;    // "Add", "FullyConnected"
  std::string kernel;  // "brgemm_avx512_f32"; "undef" and the like: none
  std::int64_t mean_us = 0;
};

/// A node of the graph as it is executed.
struct ExecutedNode {
  std::string name;
  std::string layer;                 // "Eltwise", "FullyConnected"
  std::string originals;             // names of the nodes that it stands for, with commas
  NodeValues values;                 // in the latest pass
  std::vector<std::string> readers;  // of its outputs, by name
};

struct PassTimers {
  std::int64_t passes = 0;  // since the graph was compiled
  std::vector<NodeTimer> nodes;
};

/// FLOPs are those of products with weights, of products of activations and of attention.
NodeWork work_of(const ExecutedNode& node);

/// What ran between two readings of the counters, but for call_s and the library's name. `executed`: in the order of
/// a pass, and `work` by name, over all of these passes. A node that the library added counts for the module that
/// reads what it makes. Throws Error(kEnvironment) where the readings are of other nodes, or in the wrong order.
NodeCounts counted_nodes(const PassTimers& before, const PassTimers& after, const std::vector<ExecutedNode>& executed,
                         const std::map<std::string, NodeWork>& work, GraphScopes scopes);

}  // namespace transformeter
