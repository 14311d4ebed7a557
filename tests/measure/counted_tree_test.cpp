// Trees of nodes that a library counted: modules, calls, and times that add up to the passes.
#include "measure/counted_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace transformeter {
namespace {

// Two passes of 10 ms, of which 9 ms in the library: two layers that share a module, each with a product of 3 ms and an
// activation of 1 ms, and an operator without a module of 0.5 ms.
NodeCounts made_counts() {
  NodeCounts counts;
  counts.library = "Library 1.0";
  counts.scopes = {{},
                   {.parent = 0, .module = "m.layer", .phase = {}},
                   {.parent = 1, .module = "m.layer.lin", .phase = ProfilePhase::kFeedForward},
                   {.parent = 0, .module = "m.layer", .phase = {}},
                   {.parent = 3, .module = "m.layer.lin", .phase = ProfilePhase::kFeedForward},
                   {.parent = 0, .module = "m.unused", .phase = {}}};
  for (const std::size_t scope : {std::size_t{2}, std::size_t{4}}) {
    counts.nodes.push_back({.scope = scope, .name = "linear", .calls = 2, .self_s = 0.006, .flops = 2e6, .bytes = 4e3});
    counts.nodes.push_back({.scope = scope - 1, .name = "Gelu", .calls = 2, .self_s = 0.002});
  }
  counts.nodes.push_back({.scope = 0, .name = "Convert", .calls = 2, .self_s = 0.001});
  counts.call_s = 0.018;
  return counts;
}

const ProfileNode& node_named(const std::vector<ProfileNode>& nodes, const std::string& name) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const ProfileNode& node) { return node.name == name; });
  EXPECT_NE(found, nodes.end()) << name;
  return found == nodes.end() ? nodes.front() : *found;
}

double self_sum(const std::vector<ProfileNode>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                         [](double sum, const ProfileNode& node) { return sum + node.self_s; });
}

TEST(CountedTree, AddsUpToThePasses) {
  const CountedTree tree = counted_tree(made_counts(), {0.009, 0.011});
  EXPECT_NEAR(self_sum(tree.nodes), 0.02, 1e-12);
  EXPECT_NEAR(tree.nodes.front().total_s, 0.02, 1e-12);
  EXPECT_NEAR(tree.nodes.front().self_s, 0.002, 1e-12) << "around the library's calls";
  EXPECT_NEAR(node_named(tree.nodes, kBesideNodes).self_s, 0.018 - 0.017, 1e-12) << "in them, beside nodes";
  EXPECT_EQ(tree.nodes.front().calls, 2);
  EXPECT_EQ(tree.merged_calls, 0);
}

TEST(CountedTree, CallsAModuleOnceForEachOfItsScopes) {
  const CountedTree tree = counted_tree(made_counts(), {0.009, 0.011});
  const ProfileNode& layer = node_named(tree.nodes, "m.layer");
  EXPECT_EQ(layer.calls, 2 * 2);
  EXPECT_NEAR(layer.total_s, 2 * 0.008, 1e-12);
  EXPECT_EQ(layer.self_s, 0);
  const ProfileNode& product = node_named(tree.nodes, "linear");
  EXPECT_EQ(product.calls, 4);
  EXPECT_EQ(product.flops, 4e6);
  EXPECT_EQ(product.bytes, 8e3);
  EXPECT_EQ(product.phase, ProfilePhase::kFeedForward);
  EXPECT_EQ(tree.nodes[product.parent].name, "m.layer.lin");
  EXPECT_EQ(node_named(tree.nodes, "Convert").parent, 0U);
  const auto unused = std::count_if(tree.nodes.begin(), tree.nodes.end(),
                                    [](const ProfileNode& node) { return node.name == "m.unused"; });
  EXPECT_EQ(unused, 0);
}

TEST(CountedTree, StandsInTheOrderInWhichNodesRan) {
  NodeCounts counts;
  // As scopes of a file come where its last node is looked up first, and one for two modules after both.
  counts.scopes = {{},
                   {.parent = 0, .module = "m", .phase = {}},
                   {.parent = 1, .module = "m.head", .phase = {}},
                   {.parent = 1, .module = "m.layer", .phase = {}},
                   {.parent = 3, .module = "m.layer.out", .phase = {}},
                   {.parent = 3, .module = "m.layer.in", .phase = {}},
                   {.parent = 3, .module = "m.layer.{q,k}", .phase = {}}};
  for (const std::size_t scope : {std::size_t{5}, std::size_t{6}, std::size_t{4}, std::size_t{5}, std::size_t{2}}) {
    counts.nodes.push_back({.scope = scope, .name = "linear", .calls = 1, .self_s = 0.001});
  }
  const CountedTree tree = counted_tree(counts, {0.005});
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    EXPECT_LE(tree.nodes[i].parent, i) << i;
    if (tree.nodes[i].kind == ProfileNodeKind::kModule) modules.push_back(tree.nodes[i].name);
  }
  EXPECT_EQ(modules,
            (std::vector<std::string>{"m", "m.layer", "m.layer.in", "m.layer.{q,k}", "m.layer.out", "m.head"}));
  EXPECT_NEAR(node_named(tree.nodes, "m.layer").total_s, 0.004, 1e-12);
}

TEST(CountedTree, CutsLongNamesBetweenCharacters) {
  const std::string longest(kLongestProfileName - 1, 'm');
  NodeCounts counts;
  counts.scopes = {{}, {.parent = 0, .module = longest + "\u00e9", .phase = {}}};
  counts.nodes.push_back({.scope = 1, .name = longest + "\u00e9", .calls = 1, .self_s = 0.001});
  const CountedTree tree = counted_tree(counts, {0.001});
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[1].name, longest) << "of the character of two bytes there is room for one";
  EXPECT_EQ(tree.nodes[2].name, longest);
}

TEST(CountedTree, IsNeverNegative) {
  NodeCounts counts = made_counts();
  counts.call_s = 0.03;  // more than the passes: another clock
  const CountedTree longer = counted_tree(counts, {0.009, 0.011});
  EXPECT_NEAR(self_sum(longer.nodes), 0.02, 1e-12);
  counts.call_s = 0.016;  // less than the nodes
  const CountedTree shorter = counted_tree(counts, {0.009, 0.011});
  EXPECT_NEAR(self_sum(shorter.nodes), 0.02, 1e-12);
  for (const ProfileNode& node : shorter.nodes) EXPECT_GE(node.self_s, 0) << node.name;
}

TEST(CountedTree, CountsWhatHasNoRoomWithItsModule) {
  const CountedTree tree = counted_tree(made_counts(), {0.009, 0.011}, 4);
  EXPECT_LE(tree.nodes.size(), 4U);
  EXPECT_NEAR(self_sum(tree.nodes), 0.02, 1e-12);
  EXPECT_GT(tree.merged_calls, 0);
}

TEST(MeanPassTrace, LaysWhatANodeHoldsOneAfterTheOther) {
  const CountedTree tree = counted_tree(made_counts(), {0.009, 0.011});
  const Json events = mean_pass_trace(tree.nodes, 2).at("traceEvents");
  ASSERT_EQ(events.size(), tree.nodes.size());
  EXPECT_NEAR(events.at(0).at("dur").get<double>(), 10'000, 1e-6) << "µs";
  std::vector<double> ends(events.size());
  for (std::size_t i = 1; i < events.size(); ++i) {
    const double begin = events[i].at("ts").get<double>();
    const double end = begin + events[i].at("dur").get<double>();
    const Json& around = events[tree.nodes[i].parent];
    EXPECT_GE(begin, around.at("ts").get<double>());
    EXPECT_LE(end, around.at("ts").get<double>() + around.at("dur").get<double>() + 1e-6);
    EXPECT_GE(begin + 1e-6, ends[tree.nodes[i].parent]) << "after what came before it";
    ends[tree.nodes[i].parent] = end;
  }
}

}  // namespace
}  // namespace transformeter
