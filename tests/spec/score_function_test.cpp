// What config.json says of a cross-encoder's scores.
#include "spec/score_function.h"

#include "spec/model_config.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kIdentity = "torch.nn.modules.linear.Identity";
constexpr const char* kSigmoid = "torch.nn.modules.activation.Sigmoid";

ModelConfig with(const Json& source) {
  ModelConfig config;
  config.source = source;
  return config;
}

Json in_new_key(const char* name) {
  return {{"sentence_transformers", {{"activation_fn", name}}}};
}

Json in_old_key(const char* name) {
  return {{"sbert_ce_default_activation_function", name}};
}

std::string refusal_of(const ModelConfig& config, ErrorKind kind = ErrorKind::kUnsupported) {
  return message_of(kind, [&] { score_function_of(config); });
}

TEST(ScoreFunction, IsReadFromTheNewestOfThreePlaces) {
  EXPECT_EQ(score_function_of(with(Json::object())), std::nullopt);
  EXPECT_EQ(score_function_of(with(in_old_key(kIdentity))), ScoreFunction::kIdentity);
  EXPECT_EQ(score_function_of(with(in_old_key("torch.nn.Tanh"))), ScoreFunction::kTanh);
  EXPECT_EQ(score_function_of(with(in_new_key(kSigmoid))), ScoreFunction::kSigmoid);
  EXPECT_EQ(score_function_of(with({{"sentence_transformers", {{"version", "5.0"}}}})), std::nullopt);
  ModelConfig both = with(in_new_key(kSigmoid));
  both.source["sbert_ce_default_activation_function"] = kIdentity;
  EXPECT_EQ(score_function_of(both), ScoreFunction::kSigmoid);
  both.sentence.is_cross_encoder = true;
  both.sentence.score_class = "torch.nn.modules.activation.Softmax";
  EXPECT_EQ(score_function_of(both), ScoreFunction::kSoftmax);
}

TEST(ScoreFunction, IsNotTakenFromOthersCode) {
  EXPECT_EQ(score_function_of(with(in_old_key("evil.module.Function"))), std::nullopt);
  ModelConfig both = with(in_new_key("evil.module.Function"));
  both.source["sbert_ce_default_activation_function"] = kSigmoid;
  EXPECT_EQ(score_function_of(both), std::nullopt) << "the older key counts only where there is no newer one";
}

TEST(ScoreFunction, OfACrossEncoderThatNamesNoneDependsOnItsClasses) {
  ModelConfig config;
  config.source = Json::object();
  config.sentence.is_cross_encoder = true;
  config.num_labels = 1;
  EXPECT_EQ(score_function_of(config), ScoreFunction::kSigmoid);
  config.num_labels = 3;
  EXPECT_EQ(score_function_of(config), ScoreFunction::kIdentity);
}

TEST(ScoreFunction, IsRefusedByNameWhereItIsNotComputed) {
  EXPECT_THAT(refusal_of(with(in_new_key("torch.nn.modules.activation.ReLU"))),
              AllOf(HasSubstr("activation_fn"), HasSubstr("activation.ReLU")));
  ModelConfig prompted = with(Json::object());
  prompted.sentence.is_cross_encoder = true;
  prompted.sentence.prompt = "query: ";
  EXPECT_THAT(refusal_of(prompted), HasSubstr("prompt"));
  EXPECT_THAT(refusal_of(with({{"sbert_ce_default_activation_function", 5}}), ErrorKind::kBadInput),
              AllOf(HasSubstr("sbert_ce_default_activation_function"), HasSubstr("5")));
}

}  // namespace
}  // namespace transformeter
