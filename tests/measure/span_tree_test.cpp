// Self times by nesting, on one thread and on several, whatever clocks and workers do.
#include "measure/span_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

ProfiledSpan span(SpanKind kind, std::string name, std::int64_t begin_ns, std::int64_t end_ns,
                  std::uint64_t thread = 1) {
  ProfiledSpan result;
  result.kind = kind;
  result.name = std::move(name);
  result.thread = thread;
  result.begin_ns = begin_ns;
  result.end_ns = end_ns;
  return result;
}

ProfiledSpan pass(std::int64_t begin_ns, std::int64_t end_ns) {
  return span(SpanKind::kPass, "forward pass", begin_ns, end_ns);
}
ProfiledSpan op(std::string name, std::int64_t begin_ns, std::int64_t end_ns, std::uint64_t thread = 1) {
  return span(SpanKind::kOperator, std::move(name), begin_ns, end_ns, thread);
}

ProfiledSpan block(std::int64_t time_ns, std::uint64_t address, std::int64_t bytes, std::uint64_t thread = 1) {
  ProfiledSpan result = span(SpanKind::kBlock, "", time_ns, time_ns, thread);
  result.address = address;
  result.block_bytes = bytes;
  return result;
}

SpanTree tree_of(std::vector<ProfiledSpan> spans, std::int64_t streams = 1) {
  return build_span_tree(std::move(spans), {.streams = streams});
}

const ProfileNode& node(const SpanTree& tree, const std::string& name) {
  const auto found =
      std::find_if(tree.nodes.begin(), tree.nodes.end(), [&](const ProfileNode& one) { return one.name == name; });
  EXPECT_NE(found, tree.nodes.end()) << name;
  return found == tree.nodes.end() ? tree.nodes.front() : *found;
}

double self_sum(const SpanTree& tree) {
  double sum = 0;
  for (const ProfileNode& one : tree.nodes) sum += one.self_s;
  return sum;
}

TEST(SpanTree, GivesAnOperatorTheTimeThatNoOtherInItTakes) {
  const SpanTree tree = tree_of({pass(0, 100), op("linear", 10, 60), op("t", 20, 25), op("addmm", 30, 55)});
  EXPECT_DOUBLE_EQ(node(tree, "linear").total_s, 50e-9);
  EXPECT_DOUBLE_EQ(node(tree, "linear").self_s, (50 - 5 - 25) * 1e-9);
  EXPECT_DOUBLE_EQ(node(tree, "addmm").self_s, 25e-9);
  EXPECT_DOUBLE_EQ(node(tree, "forward pass").self_s, 50e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, AddsUpCallsOfOneNameInOnePlaceOverPasses) {
  const SpanTree tree = tree_of({pass(0, 50), op("add", 0, 10), op("add", 20, 25), pass(60, 100), op("add", 70, 73)});
  ASSERT_EQ(tree.nodes.size(), 2U);
  EXPECT_EQ(tree.nodes[0].calls, 2);
  EXPECT_EQ(tree.nodes[1].calls, 3);
  EXPECT_DOUBLE_EQ(tree.nodes[1].total_s, 18e-9);
}

TEST(SpanTree, KeepsRecursionApartFromItsCaller) {
  const SpanTree tree = tree_of({pass(0, 100), op("f", 0, 100), op("f", 10, 40), op("f", 20, 30)});
  ASSERT_EQ(tree.nodes.size(), 4U);
  EXPECT_DOUBLE_EQ(tree.nodes[1].self_s, 70e-9);
  EXPECT_DOUBLE_EQ(tree.nodes[2].self_s, 20e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, EndsAChildWithItsParentWhereTheClockJitters) {
  const SpanTree tree = tree_of({pass(0, 100), op("parent", 10, 50), op("child", 20, 53), op("next", 52, 60)});
  EXPECT_DOUBLE_EQ(node(tree, "child").total_s, 30e-9);
  EXPECT_EQ(node(tree, "next").parent, 0U);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, IsEmptyWithoutAPass) {
  EXPECT_EQ(tree_of({}).nodes.size(), 1U);
  const SpanTree tree = tree_of({op("before", 0, 10)});
  EXPECT_EQ(tree.nodes.size(), 1U);
  EXPECT_EQ(self_sum(tree), 0);
}

TEST(SpanTree, LeavesOutWhatLiesOutsideOfPasses) {
  const SpanTree tree = tree_of({op("before", 0, 10), pass(20, 30), op("after", 40, 50)});
  EXPECT_EQ(tree.nodes.size(), 1U);
}

TEST(SpanTree, CountsWhatStreamsDoByTheirShareOfTheWait) {
  const SpanTree tree = tree_of({pass(0, 100), span(SpanKind::kStreams, "streams", 10, 90), op("mm", 10, 90, 2),
                                 op("mm", 20, 60, 3), op("other", 95, 99, 3)},
                                2);
  EXPECT_DOUBLE_EQ(node(tree, "mm").total_s, (80 + 40) / 2.0 * 1e-9);
  EXPECT_EQ(node(tree, "mm").calls, 2);
  // Two streams for 80 ns, of which the second is idle for 40.
  EXPECT_DOUBLE_EQ(node(tree, "streams").self_s, 20e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
  EXPECT_EQ(tree.nodes.size(), 3U) << "what another thread does outside the wait is none of the pass's";
}

TEST(SpanTree, GivesPhasesToWhatIsInThemTheOutermostFirst) {
  const SpanTree tree =
      tree_of({pass(0, 100), span(SpanKind::kPhase, "embedding", 0, 50), span(SpanKind::kModule, "m.embeddings", 0, 50),
               span(SpanKind::kPhase, "norm", 30, 40), op("layer_norm", 31, 39), op("mm", 60, 70)});
  EXPECT_EQ(node(tree, "layer_norm").phase, ProfilePhase::kEmbedding);
  EXPECT_EQ(node(tree, "mm").phase, std::nullopt);
  EXPECT_EQ(tree.nodes.size(), 4U) << "a phase is no node";
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, CountsWithTheParentWhatHasNoRoom) {
  const SpanTree tree =
      build_span_tree({pass(0, 100), op("a", 0, 40), op("b", 10, 20), op("a", 50, 60)}, {.most_nodes = 2});
  EXPECT_EQ(tree.nodes.size(), 2U);
  EXPECT_EQ(tree.merged_spans, 1);
  EXPECT_DOUBLE_EQ(node(tree, "a").self_s, 50e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, GivesAllocationsToTheInnermostSpan) {
  const SpanTree tree =
      tree_of({pass(0, 100), op("mm", 10, 40), op("empty", 12, 20), block(15, 1, 64), block(30, 1, -64)});
  EXPECT_EQ(node(tree, "empty").allocated_bytes, 64);
  EXPECT_EQ(node(tree, "mm").allocated_bytes, 0);
  ASSERT_EQ(tree.blocks.size(), 2U);
  EXPECT_EQ(tree.nodes[tree.blocks[0].node].name, "empty");
  EXPECT_EQ(tree.nodes[tree.blocks[1].node].name, "mm");
}

TEST(SpanTree, KeepsBlocksOfAllThreadsInTheOrderOfTime) {
  const SpanTree tree =
      tree_of({block(5, 9, 1), pass(10, 100), block(40, 1, 64, 2), block(20, 2, 8), block(120, 3, 4)});
  std::vector<std::int64_t> times;
  for (const BlockMoment& one : tree.blocks) times.push_back(one.time_ns);
  EXPECT_EQ(times, (std::vector<std::int64_t>{5, 20, 40, 120}));
  ASSERT_EQ(tree.passes.size(), 1U);
  EXPECT_EQ(tree.passes.front().begin_ns, 10);
}

// Nodes 0 and 1 of the graph are made in module a, 2 in its parent after it has ended, 3 in b.
std::vector<ProfiledSpan> step_spans() {
  const auto numbered = [](ProfiledSpan one, std::int64_t graph_node) {
    one.graph_node = graph_node;
    return one;
  };
  return {numbered(span(SpanKind::kPass, "training step", 0, 200), 0),
          numbered(span(SpanKind::kStage, "forward", 0, 100), 0),
          numbered(span(SpanKind::kModule, "m", 0, 90), 0),
          numbered(span(SpanKind::kModule, "m.a", 10, 30), 0),
          numbered(span(SpanKind::kScopeEnd, "end", 29, 29), 2),
          numbered(span(SpanKind::kPhase, "head", 40, 60), 3),
          numbered(span(SpanKind::kModule, "m.b", 40, 60), 3),
          numbered(span(SpanKind::kScopeEnd, "end", 59, 59), 4),
          numbered(span(SpanKind::kStage, "backward", 100, 200), 4),
          numbered(span(SpanKind::kGradient, "of b", 100, 130), 3),
          op("b's", 101, 121),
          numbered(span(SpanKind::kGradient, "of m", 130, 140), 2),
          op("m's", 130, 140),
          numbered(span(SpanKind::kGradient, "of a", 140, 190), 1),
          op("a's", 150, 190),
          numbered(span(SpanKind::kGradient, "accumulation", 190, 195), -1),
          op("sum", 190, 195)};
}

std::string path_of(const SpanTree& tree, const std::string& name) {
  std::string path;
  for (const ProfileNode* one = &node(tree, name); one->kind != ProfileNodeKind::kPass;
       one = &tree.nodes[one->parent]) {
    path = "/" + one->name + path;
  }
  return path;
}

TEST(SpanTree, PutsGradientsIntoTheModulesThatMadeTheirNodes) {
  const SpanTree tree = tree_of(step_spans());
  EXPECT_EQ(tree.nodes.front().name, "training step");
  EXPECT_EQ(path_of(tree, "a's"), "/backward/m/m.a/a's");
  EXPECT_EQ(path_of(tree, "m's"), "/backward/m/m's");
  EXPECT_EQ(path_of(tree, "b's"), "/backward/m/m.b/b's");
  EXPECT_EQ(path_of(tree, "sum"), "/backward/sum");
  EXPECT_EQ(node(tree, "b's").phase, ProfilePhase::kHead);
  EXPECT_EQ(node(tree, "a's").phase, std::nullopt);
  EXPECT_DOUBLE_EQ(node(tree, "forward").total_s, 100e-9);
  EXPECT_DOUBLE_EQ(node(tree, "backward").total_s, 100e-9);
  EXPECT_DOUBLE_EQ(node(tree, "backward").self_s, 5e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 200e-9);
}

TEST(SpanTree, GivesWhatIsComputedAgainToTheModulesInside) {
  std::vector<ProfiledSpan> spans = step_spans();
  ProfiledSpan again = span(SpanKind::kModule, "m.again", 141, 150);
  again.graph_node = 4;
  ProfiledSpan end = span(SpanKind::kScopeEnd, "end", 149, 149);
  end.graph_node = 5;
  ProfiledSpan inner = span(SpanKind::kGradient, "of again", 151, 180);
  inner.graph_node = 4;
  spans.insert(spans.end(), {again, end, inner, op("again's", 152, 170)});
  const SpanTree tree = tree_of(std::move(spans));
  EXPECT_EQ(path_of(tree, "again's"), "/backward/m/m.a/m.again/again's");
  EXPECT_DOUBLE_EQ(self_sum(tree), 200e-9);
  double children_s = 0;
  for (const ProfileNode& one : tree.nodes) children_s += one.parent == 0 ? one.total_s : 0;
  EXPECT_DOUBLE_EQ(children_s - tree.nodes.front().total_s, tree.nodes.front().total_s)
      << "the root counts itself; its children take all of its time";
}

ProfiledSpan call(std::string name, std::uint64_t number, std::int64_t begin_ns, std::int64_t end_ns,
                  std::uint64_t thread = 1) {
  ProfiledSpan result = op(std::move(name), begin_ns, end_ns, thread);
  result.call = number;
  return result;
}

ProfiledSpan kernel(std::string name, std::uint64_t call, std::int64_t begin_ns, std::int64_t end_ns) {
  ProfiledSpan result = span(SpanKind::kKernel, std::move(name), begin_ns, end_ns, 0);
  result.call = call;
  return result;
}

SpanTree gpu_tree_of(std::vector<ProfiledSpan> spans) {
  return build_span_tree(std::move(spans), {.has_gpu = true});
}

TEST(SpanTree, GivesAGpusTimeToTheCallThatLaunchedTheKernel) {
  const SpanTree tree = gpu_tree_of({call("before", 9, -50, -40), pass(0, 100), call("linear", 1, 0, 20),
                                     call("addmm", 2, 5, 15), call("gelu", 3, 20, 30), kernel("earlier", 9, 1, 4),
                                     kernel("gemm", 2, 30, 70), kernel("gelu_kernel", 3, 75, 85)});
  EXPECT_DOUBLE_EQ(node(tree, "addmm").self_s, 40e-9);
  EXPECT_DOUBLE_EQ(node(tree, "linear").self_s, 0);
  EXPECT_DOUBLE_EQ(node(tree, "linear").total_s, 40e-9);
  EXPECT_DOUBLE_EQ(node(tree, "linear").host_s, 10e-9);
  EXPECT_DOUBLE_EQ(node(tree, "gelu").host_s, 10e-9);
  EXPECT_DOUBLE_EQ(tree.nodes.front().self_s, 50e-9) << "what the GPU was idle";
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
  ASSERT_EQ(tree.kernels.size(), 2U) << "what was launched outside of passes is left out";
  EXPECT_EQ(tree.kernels[0].name, "gemm");
  EXPECT_EQ(tree.nodes[tree.kernels[0].node].name, "addmm");
  EXPECT_DOUBLE_EQ(tree.kernels[1].time_s, 10e-9);
}

TEST(SpanTree, CountsTimeOfTheGpuOnceWhereKernelsOverlap) {
  const SpanTree tree = gpu_tree_of({pass(0, 100), call("f", 1, 0, 10), call("g", 2, 10, 20), kernel("long", 1, 20, 60),
                                     kernel("inside", 2, 30, 40), kernel("beyond", 2, 50, 80)});
  EXPECT_DOUBLE_EQ(node(tree, "f").self_s, 40e-9);
  EXPECT_DOUBLE_EQ(node(tree, "g").self_s, 20e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 100e-9);
}

TEST(SpanTree, KeepsKernelsThatNoOperatorLaunchedFromTheIdleTime) {
  const SpanTree tree =
      gpu_tree_of({pass(0, 50), kernel("a", 0, 10, 20), kernel("a", 0, 20, 30), kernel("outside", 0, 60, 70)});
  EXPECT_DOUBLE_EQ(tree.nodes.front().self_s, 30e-9);
  EXPECT_DOUBLE_EQ(node(tree, "(launched by no operator)").self_s, 20e-9);
  ASSERT_EQ(tree.kernels.size(), 1U);
  EXPECT_EQ(tree.kernels[0].calls, 2);
}

TEST(SpanTree, OnACpuABackwardPassWaitsForNobody) {
  std::vector<ProfiledSpan> spans = step_spans();
  spans.push_back(op("of another thread", 110, 190, 7));
  const SpanTree tree = tree_of(std::move(spans));
  EXPECT_DOUBLE_EQ(self_sum(tree), 200e-9);
}

TEST(SpanTree, PutsGradientsOfAGpusOwnThreadIntoTheStageThatWaitsForThem) {
  std::vector<ProfiledSpan> spans = step_spans();
  for (ProfiledSpan& one : spans) {
    const bool is_backward = one.begin_ns >= 100 && one.kind != SpanKind::kStage;
    if (is_backward) one.thread = 2;
    if (one.name == "a's") one.call = 7;
  }
  spans.push_back(kernel("gemm", 7, 160, 195));
  const SpanTree tree = gpu_tree_of(std::move(spans));
  EXPECT_EQ(path_of(tree, "a's"), "/backward/m/m.a/a's");
  EXPECT_DOUBLE_EQ(node(tree, "a's").self_s, 35e-9);
  EXPECT_DOUBLE_EQ(node(tree, "a's").host_s, 40e-9);
  EXPECT_DOUBLE_EQ(self_sum(tree), 200e-9);
}

// What LibTorch 2.11's profiler recorded on an H200 of a training step of a small encoder layer.
std::vector<ProfiledSpan> recorded_gpu_step() {
  const std::map<std::string, SpanKind> kinds{{"pass", SpanKind::kPass},
                                              {"stage", SpanKind::kStage},
                                              {"gradient", SpanKind::kGradient},
                                              {"operator", SpanKind::kOperator},
                                              {"kernel", SpanKind::kKernel}};
  std::istringstream lines(read_file(source_directory() / "tests/data/profiles/gpu-training-step.csv"));
  std::vector<ProfiledSpan> spans;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = split(line, ',');
    ProfiledSpan& one = spans.emplace_back();
    one.kind = kinds.at(fields.at(0));
    one.thread = static_cast<std::uint64_t>(*parse_integer(fields.at(1)));
    one.begin_ns = *parse_integer(fields.at(2));
    one.end_ns = *parse_integer(fields.at(3));
    one.graph_node = *parse_integer(fields.at(4));
    one.call = static_cast<std::uint64_t>(*parse_integer(fields.at(5)));
    one.name = fields.at(6);
  }
  return spans;
}

TEST(SpanTree, FindsAPlaceForEachKernelOfARecordedStep) {
  const SpanTree tree = gpu_tree_of(recorded_gpu_step());
  constexpr double kPassS = 4'202'797e-9;
  constexpr double kKernelsS = 192'412e-9;  // they do not overlap
  EXPECT_NEAR(self_sum(tree), kPassS, 1e-12);
  EXPECT_NEAR(tree.nodes.front().self_s, kPassS - kKernelsS, 1e-12);
  std::int64_t calls = 0;
  double kernels_s = 0;
  for (const ProfileKernel& one : tree.kernels) {
    calls += one.calls;
    kernels_s += one.time_s;
    EXPECT_EQ(tree.nodes[one.node].kind, ProfileNodeKind::kOperator) << one.name;
  }
  EXPECT_EQ(calls, 92);
  EXPECT_NEAR(kernels_s, kKernelsS, 1e-12);
  EXPECT_GT(node(tree, "backward").total_s, node(tree, "forward").total_s);
  EXPECT_EQ(path_of(tree, "aten::_efficient_attention_backward").substr(0, 10), "/backward/");
  EXPECT_EQ(path_of(tree, "aten::_efficient_attention_forward").substr(0, 9), "/forward/");
}

}  // namespace
}  // namespace transformeter
