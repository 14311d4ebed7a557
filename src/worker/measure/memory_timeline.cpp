// One walk over the blocks of each pass finds its peak, a second one over the highest pass its course and what is held.
#include "measure/memory_timeline.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

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

// What is live in a pass, and what of it was allocated there.
class LiveBlocks {
 public:
  explicit LiveBlocks(double earlier_bytes) : earlier_bytes_(earlier_bytes) {}

  void take(const BlockMoment& block) {
    const auto bytes = static_cast<double>(block.bytes);
    if (block.bytes > 0) {
      own_[block.address] = &block;
      own_bytes_ += bytes;
    } else {
      (own_.erase(block.address) > 0 ? own_bytes_ : earlier_bytes_) += bytes;
    }
  }

  double earlier_bytes() const { return std::max(0.0, earlier_bytes_); }
  double own_bytes() const { return own_bytes_; }

  std::vector<HeldMemory> by_node() const {
    std::map<std::size_t, HeldMemory> nodes;
    for (const auto& [address, block] : own_) {
      HeldMemory& held = nodes[block->node];
      held.node = block->node;
      ++held.blocks;
      held.bytes += static_cast<double>(block->bytes);
    }
    std::vector<HeldMemory> all;
    for (const auto& [node, held] : nodes) all.push_back(held);
    std::stable_sort(all.begin(), all.end(),
                     [](const HeldMemory& left, const HeldMemory& right) { return left.bytes > right.bytes; });
    return all;
  }

 private:
  double earlier_bytes_;
  double own_bytes_ = 0;
  std::unordered_map<std::uint64_t, const BlockMoment*> own_;
};

// Timeline and what is held at the peak.
ProfileMemory memory_of(const std::vector<BlockMoment>& blocks, const PassBlocks& pass, const MemoryPeak& peak) {
  ProfileMemory memory;
  LiveBlocks live(pass.live_bytes);
  memory.peak_bytes = memory.earlier_bytes = pass.live_bytes;
  const auto add_point = [&](std::int64_t time_ns) {
    memory.timeline.push_back({seconds_into(pass, time_ns), live.earlier_bytes() + live.own_bytes(), live.own_bytes()});
  };
  add_point(pass.time.begin_ns);
  for (std::size_t i = pass.begin; i < pass.end; ++i) {
    live.take(blocks[i]);
    add_point(blocks[i].time_ns);
    if (i + 1 != peak.index) continue;
    memory.peak_bytes = memory.timeline.back().bytes;
    memory.peak_s = memory.timeline.back().time_s;
    memory.earlier_bytes = live.earlier_bytes();
    memory.held = live.by_node();
  }
  add_point(pass.time.end_ns);
  memory.timeline = thinned(memory.timeline, kMostMemoryPoints);
  return memory;
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
  ProfileMemory memory = memory_of(tree.blocks, *highest, peak);
  memory.stages = stages_in(tree.stages, *highest);
  return memory;
}

}  // namespace transformeter
