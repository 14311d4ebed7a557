// Nodes of the tree stand in the order in which they first ran, modules before what they hold, so that one walk sums
// them up. Scopes tell no order: those of a file are made while its nodes are looked up.
#include "measure/counted_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace transformeter {
namespace {

class TreeOfCounts {
 public:
  explicit TreeOfCounts(std::size_t most_nodes) : most_nodes_(most_nodes) {
    tree_.nodes.push_back({.kind = ProfileNodeKind::kPass, .name = "forward pass"});
  }

  ProfileNode& root() { return tree_.nodes.front(); }

  void add_nodes(const NodeCounts& counts) {
    std::vector<std::int64_t> calls(counts.scopes.size());
    for (const CountedNode& node : counts.nodes) calls[node.scope] = std::max(calls[node.scope], node.calls);
    for (std::size_t i = calls.size(); i-- > 1;) {
      std::int64_t& outer = calls[counts.scopes[i].parent];
      outer = std::max(outer, calls[i]);
    }
    places_.assign(counts.scopes.size(), std::nullopt);
    places_.front() = 0;
    for (const CountedNode& node : counts.nodes) {
      add_operator(node, place_of(node.scope, counts.scopes, calls), counts.scopes[node.scope].phase);
    }
  }

  void add_operator(const CountedNode& counted, std::size_t around, std::optional<ProfilePhase> phase) {
    const auto place = node_in(around, ProfileNodeKind::kOperator, counted.name, phase);
    if (!place) tree_.merged_calls += counted.calls;
    ProfileNode& node = tree_.nodes[place.value_or(around)];
    if (place) node.calls += counted.calls;
    node.self_s += counted.self_s;
    node.flops += counted.flops;
    node.bytes += counted.bytes;
  }

  CountedTree finish() {
    std::vector<ProfileNode>& nodes = tree_.nodes;
    for (ProfileNode& node : nodes) node.total_s = node.self_s;
    for (std::size_t i = nodes.size(); i-- > 1;) nodes[nodes[i].parent].total_s += nodes[i].total_s;
    return std::move(tree_);
  }

 private:
  // The tree node of a scope's module, added where it is missing; of a full tree that of the enclosing module.
  std::size_t place_of(std::size_t scope, const std::vector<ModelScope>& scopes,
                       const std::vector<std::int64_t>& calls) {
    std::vector<std::size_t> missing;  // innermost first
    for (; !places_[scope]; scope = scopes[scope].parent) missing.push_back(scope);
    std::size_t place = *places_[scope];
    for (; !missing.empty(); missing.pop_back()) {
      const std::size_t inner = missing.back();
      const ModelScope& part = scopes[inner];
      const auto module =
          part.module.empty() ? std::nullopt : node_in(place, ProfileNodeKind::kModule, part.module, part.phase);
      if (module) {
        place = *module;
        tree_.nodes[place].calls += calls[inner];
      }
      places_[inner] = place;
    }
    return place;
  }

  // Nothing where there is no room; the last place is kept for what lies outside of nodes.
  std::optional<std::size_t> node_in(std::size_t parent, ProfileNodeKind kind, const std::string& whole_name,
                                     std::optional<ProfilePhase> phase) {
    std::string name(whole_characters(whole_name, kLongestProfileName));
    const auto [place, is_new] = known_.try_emplace({parent, kind, phase, name}, tree_.nodes.size());
    if (!is_new) return place->second;
    if (tree_.nodes.size() + (name == kBesideNodes ? 0 : 1) >= most_nodes_) {
      known_.erase(place);
      return std::nullopt;
    }
    tree_.nodes.push_back({.parent = parent, .kind = kind, .name = std::move(name), .phase = phase});
    return place->second;
  }

  std::size_t most_nodes_;
  CountedTree tree_;
  std::vector<std::optional<std::size_t>> places_;  // of each scope; nothing: none of its nodes came yet
  std::map<std::tuple<std::size_t, ProfileNodeKind, std::optional<ProfilePhase>, std::string>, std::size_t> known_;
};

Json event_of(const ProfileNode& node, double begin_s, double seconds) {
  return {{"ph", "X"}, {"cat", name_of(node.kind)}, {"name", node.name},   {"pid", 1},
          {"tid", 1},  {"ts", begin_s * 1e6},       {"dur", seconds * 1e6}};
}

}  // namespace

CountedTree counted_tree(const NodeCounts& counts, const std::vector<double>& passes_s, std::size_t most_nodes) {
  const auto passes = static_cast<std::int64_t>(passes_s.size());
  const double whole_s = std::accumulate(passes_s.begin(), passes_s.end(), 0.0);
  const double nodes_s = std::accumulate(counts.nodes.begin(), counts.nodes.end(), 0.0,
                                         [](double sum, const CountedNode& node) { return sum + node.self_s; });
  TreeOfCounts tree(most_nodes);
  tree.root().calls = passes;
  tree.root().self_s = std::max(0.0, whole_s - std::max(counts.call_s, nodes_s));
  tree.add_nodes(counts);
  const double beside_s = std::min(counts.call_s, whole_s) - nodes_s;
  if (beside_s > 0) tree.add_operator({.name = kBesideNodes, .calls = passes, .self_s = beside_s}, 0, std::nullopt);
  return tree.finish();
}

Json mean_pass_trace(const std::vector<ProfileNode>& nodes, std::int64_t passes) {
  const auto mean = [&](double seconds) { return seconds / static_cast<double>(passes); };
  std::vector<double> next(nodes.size());  // where a node's next child begins
  Json events = Json::array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double seconds = mean(nodes[i].total_s);
    const double begin_s = next[nodes[i].parent];  // the root's is 0
    events.push_back(event_of(nodes[i], begin_s, seconds));
    next[i] = begin_s;
    if (i > 0) next[nodes[i].parent] += seconds;
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

}  // namespace transformeter
