// From what a profiler recorded, one span for each call, to the tree of a Profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

enum class SpanKind {
  kPass,
  kStreams,
  kStage,
  kModule,
  kPhase,
  kScopeEnd,  // a moment: the innermost of the kinds above ends with it
  kOperator,
  kGradient,  // the backward pass of a node of the autograd graph
  kBlock,     // of memory, allocated or freed: a moment in the innermost span around it
  kKernel,    // on the GPU, or a copy or filling of its memory
};

struct ProfiledSpan {
  SpanKind kind = SpanKind::kOperator;
  std::string name;
  std::uint64_t thread = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double flops = 0;
  double bytes = 0;
  /// Of kBlock: the memory block's address, and its size, negative where it is freed.
  std::uint64_t address = 0;
  std::int64_t block_bytes = 0;
  /// Of a call the profiler's number; of a kernel that of the call that launched it. 0: none.
  std::uint64_t call = 0;
  /// Of a gradient the number of its node; of kPass to kScopeEnd that of the next node that the thread will make.
  /// Negative: none.
  std::int64_t graph_node = -1;
};

struct SpanTreeOptions {
  std::int64_t streams = 1;
  bool has_gpu = false;                        // times of nodes are those of kernels
  std::size_t most_nodes = kMostProfileNodes;  // at least 1
};

/// A block of memory that was allocated or freed.
struct BlockMoment {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // negative: freed
  std::size_t node = 0;    // the root where it lies in none
};

struct PassTime {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct StageMoment {
  ProfileStage stage = ProfileStage::kForward;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct SpanTree {
  std::vector<ProfileNode> nodes;  // the root first, and nothing else without a pass
  std::int64_t merged_spans = 0;
  std::vector<BlockMoment> blocks;  // in the order of time, within passes and outside
  std::vector<PassTime> passes;
  std::vector<StageMoment> stages;
  std::vector<ProfileKernel> kernels;
};

/// On one thread a span lies in the innermost one that it begins in; where a clock's jitter has it end later, it ends
/// with that one. Self time is what no other span in it takes. What other threads than the pass's do while it waits for
/// streams, or on a GPU for a backward pass, lies in that waiting and counts 1/streams; what else lies outside a pass
/// is left out. Spans of one name in one place are one node. A gradient lies, within its stage, in the modules and the
/// phase that made its node. A kernel counts for the node of the call that launched it, and where no operator did for
/// one of its own; of two at once, the later one from the end of the other.
SpanTree build_span_tree(std::vector<ProfiledSpan> spans, const SpanTreeOptions& options);

}  // namespace transformeter
