// Counters as OpenVINO 2026.4 gave them for a small encoder, after 1 pass and after 21.
#include "open_vino/executed_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

GraphScopes drawn_scopes() {
  GraphScopes scopes;
  const auto name = [&](const char* module, std::optional<ProfilePhase> phase, std::vector<const char*> ops) {
    const auto inside = scopes.enter(module, phase);
    for (const char* op : ops) scopes.name_node(op);
  };
  name("m.embeddings.word_embeddings", ProfilePhase::kEmbedding, {"Gather"});  // 1
  const auto attention = scopes.enter("m.attention", ProfilePhase::kAttention);
  name("m.attention.k", {}, {"MatMul", "Add"});                                                   // 2, 3
  name("", {}, {"Reshape", "Transpose", "Transpose", "ScaledDotProductAttention", "Transpose"});  // 4 to 8
  name("m.attention.out", {}, {"MatMul", "Add"});                                                 // 9, 10
  return scopes;
}

std::vector<ExecutedNode> executed_nodes() {
  return {
      {"Parameter_1", "Input", "Parameter_1", {{}, {{"i64", {4, 64}}}}, {"Convert_4333"}},
      {"Convert_4333",
       "Convert",
       "Convert_4333",
       {{{"i64", {4, 64}}}, {{"i32", {4, 64}}}},
       {"m.embeddings.word_embeddings/Gather_1"}},
      {"m.embeddings.word_embeddings/Gather_1",
       "Gather",
       "m.embeddings.word_embeddings/Gather_1",
       {{{"fp32", {100, 64}}, {"i32", {4, 64}}, {"i32", {1}}}, {{"fp32", {4, 64, 64}}}},
       {"m.attention.k/Add_3"}},
      {"m.attention.k/Add_3",
       "FullyConnected",
       "m.attention.k/Add_3,Multiply_4599",
       {{{"fp32", {4, 64, 64}}, {"fp32", {64, 64}}, {"fp32", {64}}}, {{"fp32", {4, 64, 64}}}},
       {"m.attention/Reshape_4"}},
      {"m.attention/Reshape_4",
       "Reshape",
       "m.attention/Reshape_4",
       {{{"fp32", {4, 64, 64}}, {"i32", {4}}}, {{"fp32", {4, 64, 4, 16}}}},
       {"Transpose_4210"}},
      {"Transpose_4210",
       "Transpose",
       "Transpose_4210",
       {{{"fp32", {4, 64, 4, 16}}, {"i32", {4}}}, {{"fp32", {4, 4, 16, 64}}}},
       {"m.attention/Transpose_8"}},
      {"m.attention/Transpose_8",
       "Subgraph",
       "m.attention/Transpose_5,Multiply_4215,Add_4217,Softmax_4218,m.attention/Transpose_6,"
       "m.attention/ScaledDotProductAttention_7,m.attention/Transpose_8,",
       {{{"fp32", {4, 64, 4, 16}}, {"fp32", {4, 4, 16, 64}}, {"fp32", {4, 1, 1, 64}}, {"fp32", {4, 64, 4, 16}}},
        {{"fp32", {4, 64, 4, 16}}}},
       {"m.attention.out/Add_10"}},
      {"m.attention.out/Add_10",
       "FullyConnected",
       "m.attention.out/Add_10",
       {{{"fp32", {4, 64, 64}}, {"fp32", {64, 64}}, {"fp32", {64}}}, {{"fp32", {4, 64, 64}}}},
       {"Result_192"}},
      {"Result_192", "Output", "Result_192", {{{"fp32", {4, 64, 64}}}, {}}, {}},
  };
}

PassTimers timers(std::int64_t passes, const std::vector<std::int64_t>& means) {
  PassTimers all{passes,
                 {{"Parameter_1", "Parameter", "unknown_i64", 0},
                  {"Convert_4333", "Convert", "ref_i64", 0},
                  {"m.embeddings.word_embeddings/Gather_1", "Gather", "ref_any_f32", 0},
                  {"m.attention.k/Add_3", "FullyConnected", "brgemm_avx512_f32", 0},
                  {"Multiply_4599", "Multiply", "undef", 0},
                  {"m.attention/Reshape_4", "Reshape", "unknown_f32", 0},
                  {"Transpose_4210", "Transpose", "unknown_f32", 0},
                  {"m.attention/Transpose_8", "Subgraph", "jit_avx512_f32", 0},
                  {"m.attention.out/Add_10", "FullyConnected", "gemm_mlas_f32", 0},
                  {"Result_192", "Result", "unknown_f32", 0}}};
  for (std::size_t i = 0; i < means.size(); ++i) all.nodes.at(i).mean_us = means[i];
  return all;
}

PassTimers first_reading() {
  return timers(1, {0, 43, 10, 209, 0, 1, 17, 130, 3193, 0});
}
PassTimers last_reading() {
  return timers(21, {0, 6, 4, 30, 0, 0, 8, 72, 165, 0});
}

const CountedNode* node_named(const NodeCounts& counts, const std::string& name) {
  const auto found = std::find_if(counts.nodes.begin(), counts.nodes.end(),
                                  [&](const CountedNode& node) { return node.name == name; });
  EXPECT_NE(found, counts.nodes.end()) << name;
  return found == counts.nodes.end() ? nullptr : &*found;
}

NodeCounts counted(const std::map<std::string, NodeWork>& work = {}) {
  return counted_nodes(first_reading(), last_reading(), executed_nodes(), work, drawn_scopes());
}

TEST(ExecutedNodes, TakeThePassesBeforeFromTheMeans) {
  const NodeCounts counts = counted();
  const CountedNode* output = node_named(counts, "linear (gemm_mlas_f32)");
  ASSERT_NE(output, nullptr);
  EXPECT_NEAR(output->self_s, (21 * 165 - 3193) * 1e-6, 1e-12) << "the first pass, which packs weights, took 3.2 ms";
  EXPECT_EQ(output->calls, 20);
}

TEST(ExecutedNodes, AreThoseThatRan) {
  const NodeCounts counts = counted();
  std::vector<std::string> names;
  for (const CountedNode& node : counts.nodes) names.push_back(node.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"Convert (ref_i64)", "Gather (ref_any_f32)", "linear (brgemm_avx512_f32)",
                                      "Transpose", "fused attention (jit_avx512_f32)", "linear (gemm_mlas_f32)"}));
}

// OpenVINO tells one that took less than a microsecond from one that never ran by its time alone.
TEST(ExecutedNodes, ProductsCountHoweverFastTheyWere) {
  PassTimers fast = last_reading();
  fast.nodes.at(3).mean_us = 0;
  const std::map<std::string, NodeWork> work{{"m.attention.k/Add_3", {7, 9}}};
  const NodeCounts counts = counted_nodes(first_reading(), fast, executed_nodes(), work, drawn_scopes());
  const CountedNode* product = node_named(counts, "linear (brgemm_avx512_f32)");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->self_s, 0);
  EXPECT_EQ(product->calls, 20);
  EXPECT_EQ(product->flops, 7);
  EXPECT_EQ(counts.nodes.size(), counted(work).nodes.size());
}

TEST(ExecutedNodes, StandInTheModulesOfWhatTheyStandFor) {
  const NodeCounts counts = counted();
  const std::pair<const char*, const char*> expected[] = {
      {"Convert (ref_i64)", "m.embeddings.word_embeddings"},  // added by the library for what reads it
      {"Gather (ref_any_f32)", "m.embeddings.word_embeddings"},
      {"linear (brgemm_avx512_f32)", "m.attention.k"},
      {"linear (gemm_mlas_f32)", "m.attention.out"}};
  for (const auto& [name, module] : expected) {
    const CountedNode* node = node_named(counts, name);
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(counts.scopes[node->scope].module, module) << name;
  }
  for (const char* name : {"Transpose", "fused attention (jit_avx512_f32)"}) {
    std::size_t scope = node_named(counts, name)->scope;
    EXPECT_EQ(counts.scopes[scope].phase, ProfilePhase::kAttention) << name;
    if (counts.scopes[scope].module.empty()) scope = counts.scopes[scope].parent;
    EXPECT_EQ(counts.scopes[scope].module, "m.attention") << name;
  }
}

TEST(ExecutedNodes, TellTheirWork) {
  const std::vector<ExecutedNode> nodes = executed_nodes();
  EXPECT_EQ(work_of(nodes[3]).flops, 2.0 * 4 * 64 * 64 * 64);
  EXPECT_EQ(work_of(nodes[3]).bytes, 4.0 * (2 * 4 * 64 * 64 + 64 * 64 + 64));
  // Each of 4 · 4 · 64 queries of 16 numbers with 64 keys, and as many sums of values.
  EXPECT_EQ(work_of(nodes[6]).flops, 2.0 * 2 * (4 * 4 * 64) * 16 * 64);
  EXPECT_EQ(work_of(nodes[2]).bytes, 2.0 * 4 * 64 * 64 * 4 + 4 * 64 * 4 + 4);
  EXPECT_EQ(work_of(nodes[4]).bytes, 0) << "a view";
  EXPECT_EQ(work_of(nodes[5]).flops, 0);
  ExecutedNode unclear = nodes[6];
  unclear.values.inputs[2].shape = {4, 4, 64, 64};
  EXPECT_EQ(work_of(unclear).flops, 0) << "no input is a mask for sure";
  const NodeCounts counts = counted({{"m.attention.k/Add_3", {7, 9}}});
  EXPECT_EQ(node_named(counts, "linear (brgemm_avx512_f32)")->flops, 7);
  EXPECT_EQ(node_named(counts, "linear (brgemm_avx512_f32)")->bytes, 9);
  EXPECT_EQ(node_named(counts, "Transpose")->bytes, 0);
}

TEST(ExecutedNodes, KnowNothingOfNodesThatTheGraphLacks) {
  const NodeCounts counts = counted_nodes(first_reading(), last_reading(), {}, {}, drawn_scopes());
  EXPECT_EQ(counts.nodes.size(), 6U);
  for (const CountedNode& node : counts.nodes) EXPECT_EQ(node.scope, 0U) << node.name;
  EXPECT_NE(node_named(counts, "fused elementwise (jit_avx512_f32)"), nullptr) << "of what is not told";
}

TEST(ExecutedNodes, RefuseReadingsThatDoNotBelongTogether) {
  PassTimers cut = last_reading();
  cut.nodes.pop_back();
  PassTimers renamed = last_reading();
  renamed.nodes[3].name = "another";
  PassTimers negative = last_reading();
  negative.nodes[3].mean_us = -1;
  PassTimers empty;
  for (const PassTimers& after : {cut, renamed, negative, empty, first_reading()}) {
    try {
      counted_nodes(first_reading(), after, executed_nodes(), {}, drawn_scopes());
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
      EXPECT_THAT(error.what(), HasSubstr("counters cannot be read"));
    }
  }
}

TEST(ExecutedNodes, LeaveOutWhatRoundingMakesNegative) {
  const NodeCounts counts = counted_nodes(timers(3, {0, 9}), timers(4, {0, 6}), executed_nodes(), {}, drawn_scopes());
  EXPECT_TRUE(counts.nodes.empty());
}

}  // namespace
}  // namespace transformeter
