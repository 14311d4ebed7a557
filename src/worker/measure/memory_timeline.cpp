// One walk over the blocks of each pass finds its peak, a second one over the highest pass what is held there.
#include "measure/memory_timeline.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

namespace transformeter {
namespace {

constexpr double kSecondsOfNs = 1e-9;

// Blocks with indices [begin, end) lie in the pass.
struct PassBlocks {
  PassTime time;
  std::size_t begin = 0;
  std::size_t end = 0;
  double live_bytes = 0;  // at its beginning
};

struct MemoryPeak {
  double bytes = 0;
  std::size_t index = 0;  // of the first block that is not yet in it
};

std::size_t first_at(const std::vector<BlockMoment>& blocks, std::int64_t time_ns) {
  const auto found = std::lower_bound(blocks.begin(), blocks.end(), time_ns,
                                      [](const BlockMoment& one, std::int64_t time) { return one.time_ns < time; });
  return static_cast<std::size_t>(found - blocks.begin());
}

MemoryPeak peak_of(const std::vector<BlockMoment>& blocks, const PassBlocks& pass) {
  MemoryPeak peak{pass.live_bytes, pass.begin};
  double live = pass.live_bytes;
  for (std::size_t i = pass.begin; i < pass.end; ++i) {
    live += static_cast<double>(blocks[i].bytes);
    if (live > peak.bytes) peak = {live, i + 1};
  }
  return peak;
}

double seconds_into(const PassBlocks& pass, std::int64_t time_ns) {
  return static_cast<double>(time_ns - pass.time.begin_ns) * kSecondsOfNs;
}

// The first, and of each stretch of neighbours the highest and the last.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t stretches = (most - 1) / 2;
  const std::size_t stretch = (points.size() + stretches - 1) / stretches;
  std::vector<MemoryPoint> kept{points.front()};
  for (std::size_t begin = 1; begin < points.size(); begin += stretch) {
    const auto from = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), begin + stretch));
    const auto highest = std::max_element(
        from, to, [](const MemoryPoint& left, const MemoryPoint& right) { return left.bytes < right.bytes; });
    kept.push_back(*highest);
    if (highest != to - 1) kept.push_back(*(to - 1));
  }
  return kept;
}

std::vector<MemoryPoint> timeline_of(const std::vector<BlockMoment>& blocks, const PassBlocks& pass) {
  std::vector<MemoryPoint> points{{0, pass.live_bytes}};
  double live = pass.live_bytes;
  for (std::size_t i = pass.begin; i < pass.end; ++i) {
    live = std::max(0.0, live + static_cast<double>(blocks[i].bytes));
    points.push_back({seconds_into(pass, blocks[i].time_ns), live});
  }
  points.push_back({seconds_into(pass, pass.time.end_ns), live});
  return thinned(points, kMostMemoryPoints);
}

struct PeakContent {
  double earlier_bytes = 0;
  std::vector<HeldMemory> held;
};

PeakContent content_at(const std::vector<BlockMoment>& blocks, const PassBlocks& pass, std::size_t peak) {
  PeakContent content{pass.live_bytes, {}};
  std::unordered_map<std::uint64_t, const BlockMoment*> live;
  for (std::size_t i = pass.begin; i < peak; ++i) {
    if (blocks[i].bytes > 0) {
      live[blocks[i].address] = &blocks[i];
    } else if (live.erase(blocks[i].address) == 0) {
      content.earlier_bytes += static_cast<double>(blocks[i].bytes);
    }
  }
  std::map<std::size_t, HeldMemory> by_node;
  for (const auto& [address, block] : live) {
    HeldMemory& held = by_node[block->node];
    held.node = block->node;
    ++held.blocks;
    held.bytes += static_cast<double>(block->bytes);
  }
  for (const auto& [node, held] : by_node) content.held.push_back(held);
  std::stable_sort(content.held.begin(), content.held.end(),
                   [](const HeldMemory& left, const HeldMemory& right) { return left.bytes > right.bytes; });
  return content;
}

std::vector<StageTime> stages_in(const std::vector<StageMoment>& stages, const PassBlocks& pass) {
  std::vector<StageTime> times;
  for (const StageMoment& one : stages) {
    if (one.begin_ns < pass.time.begin_ns || one.begin_ns >= pass.time.end_ns) continue;
    const double begin_s = seconds_into(pass, one.begin_ns);
    const double end_s = seconds_into(pass, one.end_ns);
    if (!times.empty() && times.back().stage == one.stage) {
      times.back().end_s = end_s;
    } else if (times.size() < kMostStageTimes) {
      times.push_back({one.stage, begin_s, end_s});
    }
  }
  return times;
}

}  // namespace

std::optional<ProfileMemory> memory_over_time(const SpanTree& tree, const std::vector<double>& live_bytes) {
  std::optional<PassBlocks> highest;
  MemoryPeak peak;
  for (std::size_t i = 0; i < std::min(tree.passes.size(), live_bytes.size()); ++i) {
    const PassTime& time = tree.passes[i];
    const PassBlocks pass{time, first_at(tree.blocks, time.begin_ns), first_at(tree.blocks, time.end_ns),
                          live_bytes[i]};
    const MemoryPeak own = peak_of(tree.blocks, pass);
    if (highest && own.bytes <= peak.bytes) continue;
    highest = pass;
    peak = own;
  }
  if (!highest) return std::nullopt;
  ProfileMemory memory;
  memory.peak_bytes = peak.bytes;
  if (peak.index > highest->begin) memory.peak_s = seconds_into(*highest, tree.blocks[peak.index - 1].time_ns);
  PeakContent content = content_at(tree.blocks, *highest, peak.index);
  memory.earlier_bytes = std::max(0.0, content.earlier_bytes);
  memory.held = std::move(content.held);
  memory.timeline = timeline_of(tree.blocks, *highest);
  memory.stages = stages_in(tree.stages, *highest);
  return memory;
}

}  // namespace transformeter
