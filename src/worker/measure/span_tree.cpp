// Spans sorted by their beginning, the longer first, are visited as the calls were made: a stack of open ones is all
// that is needed. Sums are kept in nanoseconds, whole numbers that a double holds exactly. A total is the sum of all
// that a node holds, since a gradient stands elsewhere in the tree than the call that it ran in.
#include "measure/span_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace transformeter {
namespace {

constexpr double kSecondsOfNs = 1e-9;
constexpr const char* kNoLauncher = "(launched by no operator)";

// Where other threads may belong.
struct Waiting {
  std::int64_t begin_ns, end_ns;
  std::size_t node;
};

struct OpenSpan {
  std::size_t node = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double inside_ns = 0;  // of the spans in it
  std::optional<ProfilePhase> phase;
};

// Where nodes of the autograd graph were made: those below `end` that are in no place before.
struct GraphPlace {
  std::int64_t end;
  std::size_t node;
  std::optional<ProfilePhase> phase;
};

bool is_scope(SpanKind kind) {
  return kind <= SpanKind::kScopeEnd;
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const SpanTreeOptions& options) : options_(options) {
    nodes_.push_back({.kind = ProfileNodeKind::kPass, .name = "forward pass"});
  }

  /// `spans`: of one thread, in order. `share`: of its time that counts. `is_main`: it makes the passes.
  void add_thread(const std::vector<const ProfiledSpan*>& spans, double share, bool is_main) {
    for (const ProfiledSpan* span : spans) {
      while (!open_.empty() && span->begin_ns >= open_.back().end_ns) close(share);
      if (is_main && is_scope(span->kind) && !open_.empty()) note_graph(*span, open_.back());
      if (span->kind == SpanKind::kScopeEnd) continue;
      if (span->kind == SpanKind::kBlock) {
        add_block(*span);
        continue;
      }
      if (open_.empty()) {
        begin_root(*span, share, is_main);
      } else {
        open_inside(open_.back(), *span);
      }
    }
    while (!open_.empty()) close(share);
  }

  /// After all threads, in the order of their beginnings.
  void add_kernels(const std::vector<const ProfiledSpan*>& kernels) {
    for (ProfileNode& node : nodes_) {
      node.host_s = std::max(0.0, node.self_s) * kSecondsOfNs;
      node.self_s = 0;
    }
    double idle_ns = 0;
    for (const PassTime& pass : passes_) idle_ns += static_cast<double>(pass.end_ns - pass.begin_ns);
    std::int64_t busy_until_ns = std::numeric_limits<std::int64_t>::min();
    for (const ProfiledSpan* kernel : kernels) {
      const auto launcher = launcher_of(*kernel);
      if (!launcher) continue;
      const std::size_t node = *launcher != 0 ? *launcher : node_without_launcher();
      const auto own_ns =
          static_cast<double>(std::max<std::int64_t>(0, kernel->end_ns - std::max(kernel->begin_ns, busy_until_ns)));
      busy_until_ns = std::max(busy_until_ns, kernel->end_ns);
      nodes_[node].self_s += own_ns;
      idle_ns -= own_ns;
      note_kernel(node, kernel->name, own_ns);
    }
    nodes_.front().self_s += std::max(0.0, idle_ns);
  }

  SpanTree finish() {
    for (ProfileNode& node : nodes_) node.total_s = node.self_s = std::max(0.0, node.self_s);
    for (std::size_t i = nodes_.size() - 1; i > 0; --i) nodes_[nodes_[i].parent].total_s += nodes_[i].total_s;
    for (ProfileNode& node : nodes_) {
      node.total_s *= kSecondsOfNs;
      node.self_s *= kSecondsOfNs;
    }
    std::stable_sort(blocks_.begin(), blocks_.end(),
                     [](const BlockMoment& left, const BlockMoment& right) { return left.time_ns < right.time_ns; });
    return {std::move(nodes_),  merged_, std::move(blocks_), std::move(passes_), std::move(stages_),
            std::move(kernels_)};
  }

 private:
  // Nothing: it belongs to no pass.
  std::optional<std::size_t> launcher_of(const ProfiledSpan& kernel) const {
    if (kernel.call != 0) {
      const auto call = nodes_of_calls_.find(kernel.call);
      return call == nodes_of_calls_.end() ? std::nullopt : std::optional(call->second);
    }
    const bool is_in_pass = std::any_of(passes_.begin(), passes_.end(), [&](const PassTime& pass) {
      return pass.begin_ns <= kernel.begin_ns && kernel.begin_ns < pass.end_ns;
    });
    return is_in_pass ? std::optional<std::size_t>(0) : std::nullopt;
  }

  // The root's own time is what the GPU is idle.
  std::size_t node_without_launcher() {
    const auto node = node_in(0, ProfileNodeKind::kOperator, kNoLauncher, std::nullopt);
    if (!node) ++merged_;
    return node.value_or(0);
  }

  void note_kernel(std::size_t node, const std::string& whole_name, double own_ns) {
    const std::string name(whole_characters(whole_name, kLongestProfileName));
    const auto [place, is_new] = places_of_kernels_.try_emplace({node, name}, kernels_.size());
    if (is_new && kernels_.size() >= kMostProfileKernels) {
      places_of_kernels_.erase(place);
      ++merged_;
      return;
    }
    if (is_new) kernels_.push_back({.node = node, .name = name});
    ProfileKernel& kernel = kernels_[place->second];
    ++kernel.calls;
    kernel.time_s += own_ns * kSecondsOfNs;
  }

  void add_block(const ProfiledSpan& span) {
    const std::size_t node = open_.empty() ? 0 : open_.back().node;
    blocks_.push_back({span.begin_ns, span.address, span.block_bytes, node});
    if (!open_.empty())
      nodes_[node].allocated_bytes += static_cast<double>(std::max<std::int64_t>(span.block_bytes, 0));
  }

  void begin_root(const ProfiledSpan& span, double share, bool is_main) {
    if (is_main) {
      if (span.kind != SpanKind::kPass) return;
      nodes_.front().name = span.name;
      ++nodes_.front().calls;
      passes_.push_back({span.begin_ns, span.end_ns});
      open_.push_back({0, span.begin_ns, span.end_ns, 0, std::nullopt});
      return;
    }
    const Waiting* place = waiting_at(span.begin_ns);
    if (place == nullptr) return;
    const OpenSpan around{place->node, place->begin_ns, place->end_ns, 0, std::nullopt};
    open_inside(around, span);
    // What the thread does is no longer waiting.
    nodes_[place->node].self_s -= static_cast<double>(open_.back().end_ns - open_.back().begin_ns) * share;
  }

  const Waiting* waiting_at(std::int64_t time_ns) const {
    const auto found = std::find_if(waitings_.begin(), waitings_.end(), [&](const Waiting& one) {
      return one.begin_ns <= time_ns && time_ns < one.end_ns;
    });
    return found == waitings_.end() ? nullptr : &*found;
  }

  // By value: what is open may move.
  void open_inside(OpenSpan around, const ProfiledSpan& span) {
    OpenSpan next{around.node, span.begin_ns, std::min(span.end_ns, around.end_ns), 0, around.phase};
    if (span.kind == SpanKind::kPhase) {
      if (!next.phase) next.phase = profile_phase_from_name(span.name);
    } else if (span.kind == SpanKind::kGradient) {
      put_where_made(span, next);
    } else if (const auto node = node_in(around.node, kind_of(span.kind), span.name, around.phase)) {
      next.node = *node;
      ++nodes_[*node].calls;
      if (span.kind == SpanKind::kStage) note_stage(next, span.name);
      if (span.kind == SpanKind::kStreams) waitings_.push_back({next.begin_ns, next.end_ns, next.node});
    } else {
      ++merged_;
    }
    nodes_[next.node].flops += span.flops;
    nodes_[next.node].bytes += span.bytes;
    if (span.call != 0) nodes_of_calls_[span.call] = next.node;
    open_.push_back(next);
  }

  void note_stage(const OpenSpan& open, const std::string& name) {
    const auto stage = profile_stage_from_name(name);
    if (!stage) return;
    stages_.push_back({*stage, open.begin_ns, open.end_ns});
    // A GPU's gradients are computed by another thread, for which this one waits.
    if (options_.has_gpu && *stage == ProfileStage::kBackward)
      waitings_.push_back({open.begin_ns, open.end_ns, open.node});
  }

  void note_graph(const ProfiledSpan& span, const OpenSpan& around) {
    const std::int64_t made = graph_.empty() ? 0 : graph_.back().end;
    if (span.graph_node > made) graph_.push_back({span.graph_node, around.node, around.phase});
  }

  void put_where_made(const ProfiledSpan& span, OpenSpan& next) {
    std::size_t stage = next.node;
    while (stage != 0 && nodes_[stage].kind != ProfileNodeKind::kStage) stage = nodes_[stage].parent;
    next.node = stage;
    next.phase = std::nullopt;
    if (span.graph_node < 0) return;
    const auto place = std::upper_bound(graph_.begin(), graph_.end(), span.graph_node,
                                        [](std::int64_t node, const GraphPlace& one) { return node < one.end; });
    if (place == graph_.end()) return;
    next.phase = place->phase;
    next.node = module_in(stage, place->node);
  }

  // The modules around `node`, and it if it is one, within another stage.
  std::size_t module_in(std::size_t stage, std::size_t node) {
    const ProfileNode original = nodes_[node];
    if (node == 0 || original.kind == ProfileNodeKind::kStage) return stage;
    const std::size_t outer = module_in(stage, original.parent);
    if (original.kind != ProfileNodeKind::kModule) return outer;
    const auto module = node_in(outer, original.kind, original.name, original.phase);
    if (!module) ++merged_;
    return module.value_or(outer);
  }

  void close(double share) {
    const OpenSpan span = open_.back();
    open_.pop_back();
    const auto whole_ns = static_cast<double>(span.end_ns - span.begin_ns);
    nodes_[span.node].self_s += (whole_ns - span.inside_ns) * share;
    if (!open_.empty()) open_.back().inside_ns += whole_ns;
  }

  static ProfileNodeKind kind_of(SpanKind kind) {
    if (kind == SpanKind::kModule) return ProfileNodeKind::kModule;
    if (kind == SpanKind::kStage) return ProfileNodeKind::kStage;
    return kind == SpanKind::kStreams ? ProfileNodeKind::kStreams : ProfileNodeKind::kOperator;
  }

  // Nothing where there is no room.
  std::optional<std::size_t> node_in(std::size_t parent, ProfileNodeKind kind, const std::string& whole_name,
                                     std::optional<ProfilePhase> phase) {
    std::string name(whole_characters(whole_name, kLongestProfileName));
    const auto [place, is_new] = places_.try_emplace({parent, kind, phase, name}, nodes_.size());
    if (!is_new) return place->second;
    if (nodes_.size() >= options_.most_nodes) {
      places_.erase(place);
      return std::nullopt;
    }
    nodes_.push_back({.parent = parent, .kind = kind, .name = std::move(name), .phase = phase});
    return place->second;
  }

  SpanTreeOptions options_;
  std::vector<ProfileNode> nodes_;
  std::map<std::tuple<std::size_t, ProfileNodeKind, std::optional<ProfilePhase>, std::string>, std::size_t> places_;
  std::vector<Waiting> waitings_;
  std::vector<GraphPlace> graph_;  // in the order of their ends
  std::vector<OpenSpan> open_;
  std::vector<BlockMoment> blocks_;
  std::vector<PassTime> passes_;
  std::vector<StageMoment> stages_;
  std::unordered_map<std::uint64_t, std::size_t> nodes_of_calls_;
  std::vector<ProfileKernel> kernels_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> places_of_kernels_;
  std::int64_t merged_ = 0;
};

}  // namespace

SpanTree build_span_tree(std::vector<ProfiledSpan> spans, const SpanTreeOptions& options) {
  std::stable_sort(spans.begin(), spans.end(), [](const ProfiledSpan& left, const ProfiledSpan& right) {
    if (left.begin_ns != right.begin_ns) return left.begin_ns < right.begin_ns;
    return left.end_ns > right.end_ns;
  });
  TreeBuilder builder(options);
  const auto pass =
      std::find_if(spans.begin(), spans.end(), [](const ProfiledSpan& span) { return span.kind == SpanKind::kPass; });
  if (pass == spans.end()) return builder.finish();
  const std::uint64_t main = pass->thread;
  std::map<std::uint64_t, std::vector<const ProfiledSpan*>> threads;
  std::vector<const ProfiledSpan*> kernels;
  for (const ProfiledSpan& span : spans) {
    (span.kind == SpanKind::kKernel ? kernels : threads[span.thread]).push_back(&span);
  }
  builder.add_thread(threads.at(main), 1, true);
  threads.erase(main);
  for (const auto& [thread, of_thread] : threads) {
    builder.add_thread(of_thread, 1.0 / static_cast<double>(options.streams), false);
  }
  if (options.has_gpu) builder.add_kernels(kernels);
  return builder.finish();
}

}  // namespace transformeter
