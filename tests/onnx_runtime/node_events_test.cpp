// A recorded profile of three runs, the last of half as many tokens, and what disks and libraries may make of one.
#include "onnx_runtime/node_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

std::string recorded() {
  return read_file(source_directory() / "tests/data/profiles/onnx_runtime.json");
}

// As the graph was drawn of which the profile is.
GraphScopes drawn_scopes() {
  GraphScopes scopes;
  const auto name_until = [&](const std::string& module, const char* op, int last) {
    const auto inside = scopes.enter(module);
    std::string name;
    do {
      name = scopes.name_node(op);
    } while (!name.ends_with("_" + std::to_string(last)));
  };
  name_until("m.embeddings.word_embeddings", "Gather", 2);
  name_until("m.layer.0.attention", "Attention", 8);
  name_until("m.layer.0.ffn.lin1", "MatMul", 16);
  name_until("m.layer.0.ffn.lin1", "BiasGelu", 18);
  name_until("pre", "MatMul", 47);
  name_until("classifier", "MatMul", 52);
  return scopes;
}

const CountedNode* node_named(const NodeCounts& counts, const std::string& name) {
  const auto found = std::find_if(counts.nodes.begin(), counts.nodes.end(),
                                  [&](const CountedNode& node) { return node.name == name; });
  EXPECT_NE(found, counts.nodes.end()) << name;
  return found == counts.nodes.end() ? nullptr : &*found;
}

std::string refusal_of(const std::string& profile, std::int64_t first = 0, std::int64_t runs = 1) {
  try {
    counted_nodes(profile, first, runs, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    return error.what();
  }
  return "";
}

TEST(NodeEvents, SumTheRunsThatCount) {
  const NodeCounts counts = counted_nodes(recorded(), 1, 2, drawn_scopes());
  EXPECT_NEAR(counts.call_s, (1659 + 753) * 1e-6, 1e-12);
  ASSERT_EQ(counts.nodes.size(), 6U);
  const CountedNode* attention = node_named(counts, "Attention");
  ASSERT_NE(attention, nullptr);
  EXPECT_EQ(attention->calls, 2);
  EXPECT_NEAR(attention->self_s, (468 + 93) * 1e-6, 1e-12);
  double nodes_s = 0;
  for (const CountedNode& node : counts.nodes) nodes_s += node.self_s;
  EXPECT_LE(nodes_s, counts.call_s);
}

TEST(NodeEvents, StandInTheModulesThatTheirNamesTell) {
  const NodeCounts counts = counted_nodes(recorded(), 0, 3, drawn_scopes());
  const std::pair<const char*, const char*> expected[] = {{"Gather", "m.embeddings.word_embeddings"},
                                                          {"Attention", "m.layer.0.attention"},
                                                          {"MatMul", "m.layer.0.ffn.lin1"},
                                                          {"BiasGelu", "m.layer.0.ffn.lin1"},
                                                          {"FusedGemm", "pre"},  // renamed by fusions
                                                          {"Gemm", "classifier"}};
  for (const auto& [name, module] : expected) {
    const CountedNode* node = node_named(counts, name);
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(counts.scopes[node->scope].module, module) << name;
  }
}

TEST(NodeEvents, TellTheWorkOfEachRunsOwnSizes) {
  const NodeCounts counts = counted_nodes(recorded(), 1, 2, {});
  const double tokens = 4 * (64 + 32);
  // [tokens, 64] · [64, 256], whose weight the kernel keeps and reads once in each run.
  const CountedNode* product = node_named(counts, "MatMul");
  EXPECT_EQ(product->flops, 2 * tokens * 64 * 256);
  EXPECT_EQ(product->bytes, 4 * (tokens * 64 + tokens * 256 + 2 * 64 * 256));
  // Queries, keys and values of 64 each; then scores of each token with those of its row, and their sums.
  const CountedNode* attention = node_named(counts, "Attention");
  const double scores = 4 * (64 * 64 + 32 * 32);
  EXPECT_EQ(attention->flops, 2 * tokens * 64 * 192 + 2 * scores * 64 + 2 * scores * 64);
  EXPECT_EQ(node_named(counts, "FusedGemm")->flops, 2 * (2 * 4 * 64 * 64));
  // 64 numbers of a row read and written for each token, whose number is read.
  EXPECT_EQ(node_named(counts, "Gather")->bytes, tokens * (2 * 64 * 4 + 8));
  EXPECT_EQ(node_named(counts, "Gather")->flops, 0);
}

std::string node_text(const std::string& name, const std::string& op, int begin, int duration,
                      const std::string& arguments = "") {
  return R"({"cat":"Node","name":")" + name + R"(_kernel_time","ts":)" + std::to_string(begin) + R"(,"dur":)" +
         std::to_string(duration) + R"(,"args":{"op_name":")" + op + "\"" + arguments + "}}";
}

std::string run_text(int duration, int begin = 0) {
  return R"({"cat":"Session","name":"model_run","ts":)" + std::to_string(begin) + R"(,"dur":)" +
         std::to_string(duration) + R"(,"args":{}})";
}

TEST(NodeEvents, TakeTheTimeOfInnerNodesFromTheLoopAroundThem) {
  // A loop's nodes are told before it.
  const std::string profile = "[" + node_text("a", "Add", 12, 5) + "," + node_text("b", "Mul", 20, 7) + "," +
                              node_text("loop", "Loop", 10, 30) + "," + node_text("c", "Relu", 40, 0) + "," +
                              run_text(50) + "]";
  const NodeCounts counts = counted_nodes(profile, 0, 1, {});
  EXPECT_NEAR(node_named(counts, "Loop")->self_s, (30 - 5 - 7) * 1e-6, 1e-12);
  EXPECT_NEAR(node_named(counts, "Add")->self_s, 5e-6, 1e-12);
  EXPECT_EQ(node_named(counts, "Relu")->calls, 1) << "less than a microsecond";
}

// Names are optional in files, and need not differ.
TEST(NodeEvents, TellNodesOfOneNameFromEachOther) {
  const std::string profile = "[" + node_text("", "Add", 1, 5) + "," + node_text("", "Mul", 7, 2) + "," +
                              node_text("", "Add", 10, 3) + "," + run_text(20) + "]";
  const NodeCounts counts = counted_nodes(profile, 0, 1, {});
  ASSERT_EQ(counts.nodes.size(), 2U);
  EXPECT_NEAR(node_named(counts, "Add")->self_s, (5 + 3) * 1e-6, 1e-12);
  EXPECT_EQ(node_named(counts, "Add")->calls, 2);
  EXPECT_NEAR(node_named(counts, "Mul")->self_s, 2e-6, 1e-12);
}

TEST(NodeEvents, LeaveWorkOutThatSizesDoNotTell) {
  const std::string no_bias = R"(,"input_type_shape":[{"float":[1,8,16]}],"output_type_shape":[{"float":[1,8,16]}])";
  const std::string cache = R"(,"input_type_shape":[{"float":[1,8,16]},{"float":[48]},{"float":[2,1,2,8,8]}],)"
                            R"("output_type_shape":[{"float":[1,8,16]}])";
  const std::string profile = "[" + node_text("a", "Attention", 0, 1, no_bias) + "," +
                              node_text("b", "GroupQueryAttention", 1, 1, cache) + "," +
                              node_text("c", "SomethingNew", 2, 1, no_bias) + "," + run_text(5) + "]";
  const NodeCounts counts = counted_nodes(profile, 0, 1, {});
  ASSERT_EQ(counts.nodes.size(), 3U);
  for (const CountedNode& node : counts.nodes) {
    EXPECT_EQ(node.flops, 0) << node.name;
    EXPECT_EQ(node.bytes, 0) << node.name;
  }
}

// 100 rows of one token: 4 numbers times 3 · 4 weights, then one score and one sum of 4 products each.
TEST(NodeEvents, DoNotTakeTheLengthsOfRowsForTheBias) {
  const ShapedValue hidden{"fp32", {100, 1, 4}};
  for (const char* format : {"int32", "int64"}) {
    const NodeWork work = work_of("Attention", {{hidden, {"fp32", {12}}, {format, {100}}}, {hidden}});
    EXPECT_EQ(work.flops, 100 * (2 * 4 * 12 + 2 * 4 + 2 * 4)) << format;
    const NodeWork unknown = work_of("Attention", {{hidden, {format, {100}}}, {hidden}});
    EXPECT_EQ(unknown.flops, 0) << "no bias tells the width";
  }
}

TEST(NodeEvents, RefuseAProfileWithoutTheRunsThatWereMade) {
  const std::string before = "ONNX Runtime's profile of the passes cannot be read ";
  EXPECT_EQ(refusal_of(recorded(), 1, 3), before + "(it holds 3 of 4 runs); use fewer --passes");
  EXPECT_EQ(refusal_of("[]"), before + "(it holds 0 of 1 runs); use fewer --passes");
}

// As a profile that is sorted by time has them: a run before its nodes, which then count for the next one.
TEST(NodeEvents, RefuseNodesThatBeganOutsideOfTheirRun) {
  const std::string add = node_text("a", "Add", 12, 5);
  const std::string later = node_text("a", "Add", 32, 5);
  const std::string sorted = "[" + run_text(10, 10) + "," + add + "," + run_text(10, 30) + "," + later + "]";
  for (const auto& [first, runs] : {std::pair(0, 2), std::pair(1, 1)}) {
    EXPECT_THAT(refusal_of(sorted, first, runs), HasSubstr("(events of a run lie outside of it)")) << first;
  }
  const std::string ended = "[" + add + "," + run_text(10, 10) + "," + later + "," + run_text(10, 30) + "]";
  EXPECT_EQ(refusal_of(ended, 0, 2), "");
  EXPECT_EQ(refusal_of("[" + node_text("a", "Add", 21, 0) + "," + run_text(10, 10) + "]"), "") << "times are cut";
  EXPECT_THAT(refusal_of("[" + node_text("a", "Add", 22, 0) + "," + run_text(10, 10) + "]"), HasSubstr("outside"));
  EXPECT_THAT(refusal_of("[" + node_text("a", "Add", 9, 5) + "," + run_text(10, 10) + "]"), HasSubstr("outside"));
}

TEST(NodeEvents, RefuseWhateverIsCutOff) {
  const std::string whole = recorded();
  for (std::size_t size = 0; size + 2 < whole.size(); size += 97) {
    EXPECT_THAT(refusal_of(whole.substr(0, size), 0, 3), HasSubstr("is the disk of temporary files full?")) << size;
  }
}

TEST(NodeEvents, RefuseGarbage) {
  const std::string run = "," + run_text(5) + "]";
  const std::string garbage[] = {
      "",
      "{}",
      "null",
      "7",
      "[7]",
      R"(["x"])",
      "[[{}]]",
      R"({"traceEvents":[]})",
      std::string(1000, '['),
      R"([{"cat":7}])",
      R"([{"cat":"Node","name":"a_kernel_time"})" + run,
      R"([{"cat":"Node","name":"a_kernel_time","args":[],"ts":0,"dur":1})" + run,
      R"([{"cat":"Node","name":"a_kernel_time","args":{},"ts":-1,"dur":1})" + run,
      R"([{"cat":"Node","name":"a_kernel_time","args":{},"ts":0,"dur":1.5})" + run,
      R"([{"cat":"Node","name":"a_kernel_time","args":{},"ts":9223372036854775807,"dur":9223372036854775807})" + run,
      "[" + node_text("a", "Add", 0, 1, R"(,"input_type_shape":7)") + run,
      "[" + node_text("a", "Add", 0, 1, R"(,"input_type_shape":[{"float":[-4]}])") + run,
      "[" + node_text("a", "Add", 0, 1, R"(,"input_type_shape":[{"float":"x"}])") + run,
      R"([{"cat":"Session","name":"model_run","ts":0}])",
      "[" + run_text(5) + "]" + std::string(1, '\0') + "[",
  };
  for (const std::string& profile : garbage) {
    EXPECT_THAT(refusal_of(profile), HasSubstr("cannot be read")) << profile.substr(0, 120);
  }
}

}  // namespace
}  // namespace transformeter
