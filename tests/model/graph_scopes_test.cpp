// Names that nodes are given, those that libraries make of them, and those of other exporters.
#include "model/graph_scopes.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace transformeter {
namespace {

std::vector<std::string> modules_of(const GraphScopes& scopes, std::size_t scope) {
  std::vector<std::string> modules;
  for (std::size_t at = scope; at != 0; at = scopes.scopes()[at].parent) {
    modules.insert(modules.begin(), scopes.scopes()[at].module);
  }
  return modules;
}

std::optional<ProfilePhase> phase_of(const GraphScopes& scopes, std::size_t scope) {
  return scopes.scopes()[scope].phase;
}

TEST(GraphScopes, NameNodesAfterTheInnermostModule) {
  GraphScopes scopes;
  EXPECT_EQ(scopes.name_node("Parameter"), "Parameter_1");
  const auto layer = scopes.enter("m.layer.0");
  const auto attention = scopes.enter("m.layer.0.attention", ProfilePhase::kAttention);
  std::string product;
  {
    const auto linear = scopes.enter("m.layer.0.attention.q_lin");
    product = scopes.name_node("MatMul");
    EXPECT_EQ(product, "m.layer.0.attention.q_lin/MatMul_2");
  }
  const std::string softmax = scopes.name_node("Softmax");
  EXPECT_EQ(softmax, "m.layer.0.attention/Softmax_3");
  EXPECT_EQ(modules_of(scopes, scopes.scope_of(product)),
            (std::vector<std::string>{"m.layer.0", "m.layer.0.attention", "m.layer.0.attention.q_lin"}));
  EXPECT_EQ(phase_of(scopes, scopes.scope_of(product)), ProfilePhase::kAttention);
  EXPECT_EQ(scopes.scope_of("Parameter_1"), 0U);
}

TEST(GraphScopes, CountTheOutermostPhase) {
  GraphScopes scopes;
  const auto embedding = scopes.enter("m.embeddings", ProfilePhase::kEmbedding);
  const auto norm = scopes.enter("m.embeddings.LayerNorm", ProfilePhase::kNorm);
  EXPECT_EQ(phase_of(scopes, scopes.scope_of(scopes.name_node("MVN"))), ProfilePhase::kEmbedding);
}

TEST(GraphScopes, HaveOneForEachTimeThatAModuleIsEntered) {
  GraphScopes scopes;
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const auto shared = scopes.enter("albert.layer");
    names.push_back(scopes.name_node("Add"));
  }
  EXPECT_NE(scopes.scope_of(names[0]), scopes.scope_of(names[1]));
  EXPECT_EQ(modules_of(scopes, scopes.scope_of(names[1])), std::vector<std::string>{"albert.layer"});
}

TEST(GraphScopes, KnowNodesByWhatOptimizersAddToTheirNames) {
  GraphScopes scopes;
  const auto linear = scopes.enter("classifier");
  const std::size_t known = scopes.scope_of(scopes.name_node("MatMul"));
  ASSERT_NE(known, 0U);
  for (const char* name : {"classifier/MatMul_1/MatMulAddFusion", "fused classifier/MatMul_1/MatMulAddFusion/",
                           "classifier/MatMul_1_quant/MatMul_1"}) {
    const bool is_known = std::string(name).find("_quant") == std::string::npos;
    EXPECT_EQ(scopes.scope_of(name), is_known ? known : 0U) << name;
  }
}

TEST(GraphScopes, ReadModulesFromTheNamesOfExporters) {
  GraphScopes scopes;
  EXPECT_EQ(modules_of(scopes, scopes.scope_of("/bert/encoder/layer.0/output/dense/MatMul")),
            (std::vector<std::string>{"bert", "bert.encoder", "bert.encoder.layer.0", "bert.encoder.layer.0.output",
                                      "bert.encoder.layer.0.output.dense"}));
  EXPECT_EQ(scopes.scope_of("/bert/encoder/layer.0/output/dense/MatMul/MatMulAddFusion"),
            scopes.scope_of("/bert/encoder/layer.0/output/dense/Add_output_0"));
  EXPECT_EQ(modules_of(scopes, scopes.scope_of("/bert/norm/Mul_1/LayerNormFusion/")).back(), "bert.norm");
  EXPECT_EQ(modules_of(scopes, scopes.scope_of("__module.bert.pooler.dense/aten::linear/MatMul")),
            std::vector<std::string>{"bert.pooler.dense"});
  EXPECT_EQ(scopes.scope_of("/Gather_1"), 0U) << "of the whole model";
}

TEST(GraphScopes, TakeNamesThatTellNothingForTheRoot) {
  GraphScopes scopes;
  for (const char* name : {"", "/", "//", "///", "fused ", "node_MatMul_12", "Convert_4333", "a/b/c", "__module.",
                           "__module./aten::add/Add"}) {
    EXPECT_EQ(scopes.scope_of(name), 0U) << name;
  }
}

TEST(GraphScopes, JoinModulesOfANodeThatStandsForSeveral) {
  GraphScopes scopes;
  const auto attention = scopes.enter("m.attention", ProfilePhase::kAttention);
  const std::string softmax = scopes.name_node("Softmax");
  std::vector<std::string> products;
  for (const char* name : {"m.attention.q", "m.attention.k"}) {
    const auto linear = scopes.enter(name);
    products.push_back(scopes.name_node("MatMul"));
  }
  const std::size_t joined = scopes.scope_of_all({products[0], "Multiply_7", products[1]});
  EXPECT_EQ(modules_of(scopes, joined), (std::vector<std::string>{"m.attention", "m.attention.{q,k}"}));
  EXPECT_EQ(phase_of(scopes, joined), ProfilePhase::kAttention);
  EXPECT_EQ(scopes.scope_of_all({products[1], products[0]}), joined);
  EXPECT_EQ(scopes.scope_of_all({softmax, products[0]}), scopes.scope_of(softmax)) << "it holds the other";
  EXPECT_EQ(scopes.scope_of_all({"Multiply_7", products[0]}), scopes.scope_of(products[0]));
  EXPECT_EQ(scopes.scope_of_all({"Multiply_7", ""}), 0U);
  EXPECT_EQ(scopes.scope_of_all({}), 0U);
}

TEST(GraphScopes, JoinNodesOfNoModuleWithOthers) {
  GraphScopes scopes;
  const auto name_in = [&](const char* module, ProfilePhase phase) {
    const auto inside = scopes.enter(module, phase);
    return scopes.name_node("MatMul");
  };
  const std::string head = name_in("", ProfilePhase::kHead);
  const std::string loss = name_in("", ProfilePhase::kLoss);
  const std::string first = name_in("m.first", ProfilePhase::kHead);
  const std::string second = name_in("m.second", ProfilePhase::kHead);
  EXPECT_EQ(modules_of(scopes, scopes.scope_of_all({head, first, second})),
            std::vector<std::string>{"m.{first,second}"});
  EXPECT_EQ(modules_of(scopes, scopes.scope_of_all({head, first})), std::vector<std::string>{"m.first"});
  EXPECT_EQ(scopes.scope_of_all({head, loss}), 0U) << "what is around both";
  EXPECT_EQ(scopes.scope_of_all({"__module.", "__module.m.first/Add", "__module.m.second/Add"}),
            scopes.scope_of_all({"__module.m.first/Mul", "__module.m.second/Mul"}));
}

}  // namespace
}  // namespace transformeter
