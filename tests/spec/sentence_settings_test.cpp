// Files of sentence-transformers: what is obeyed, what is refused, and only for the task embedding.
#include "spec/sentence_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_file.h"
#include "spec/checkpoint.h"
#include "spec/spec_testing.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SentenceFolder : public testing::Test {
 protected:
  TemporaryFolder folder_;

  void write(const std::string& name, const Json& json) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    write_json_file(path, json);
  }
  // {"path", "type"}, as written by all versions.
  void write_modules(const std::vector<std::pair<std::string, std::string>>& modules) const {
    Json list = Json::array();
    for (const auto& [path, type] : modules) {
      list.push_back({{"idx", list.size()}, {"path", path}, {"type", "sentence_transformers.models." + type}});
    }
    write("modules.json", list);
  }
  SentenceSettings read() const { return read_sentence_settings(folder_.path()); }
};

TEST_F(SentenceFolder, WithoutModulesIsTheMeanAsItIs) {
  EXPECT_EQ(read(), SentenceSettings{});
  write("sentence_bert_config.json", {{"max_seq_length", 7}});
  EXPECT_EQ(read().max_length, std::nullopt) << "without modules.json nothing of sentence-transformers reads it";
}

TEST_F(SentenceFolder, SaysHowTextsArePreparedAndVectorsPooled) {
  write_modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dense", "Dense"}, {"3_Normalize", "Normalize"}});
  write("1_Pooling/config.json", {{"pooling_mode_max_tokens", true}, {"pooling_mode_cls_token", true}});
  write("2_Dense/config.json", {{"in_features", 64},
                                {"out_features", 16},
                                {"bias", false},
                                {"activation_function", "torch.nn.modules.linear.Identity"}});
  write("sentence_bert_config.json", {{"max_seq_length", 99}, {"do_lower_case", true}});
  write("config_sentence_transformers.json",
        {{"prompts", {{"query", "query: "}, {"document", ""}}}, {"default_prompt_name", "query"}});
  const SentenceSettings settings = read();
  EXPECT_THAT(settings.refusal, IsEmpty());
  EXPECT_THAT(settings.poolings, ElementsAre(Selection::kFirst, Selection::kMax)) << "in the original's order";
  EXPECT_EQ(pooling_name(settings.poolings), "cls+max");
  EXPECT_EQ(settings.dense, linear_spec("2_Dense.linear", 64, 16, false));
  EXPECT_EQ(settings.activation, Activation::kLinear);
  EXPECT_TRUE(settings.is_normalized);
  EXPECT_EQ(settings.max_length, 99);
  EXPECT_TRUE(settings.lowercases);
  EXPECT_EQ(settings.prompt, "query: ");
  EXPECT_EQ(dense_weights("/m", settings), "/m/2_Dense/model.safetensors");
  EXPECT_THAT(settings.files,
              testing::UnorderedElementsAre("1_Pooling/config.json", "2_Dense/config.json", "sentence_bert_config.json",
                                            "config_sentence_transformers.json"))
      << "what is hashed";
}

TEST_F(SentenceFolder, NewerFilesNameTheirPooling) {
  write_modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}});
  write("1_Pooling/config.json", {{"pooling_mode", {"weightedmean", "lasttoken"}}});
  EXPECT_THAT(read().poolings, ElementsAre(Selection::kWeightedMean, Selection::kLast));
  write("1_Pooling/config.json", {{"pooling_mode", "mean_sqrt_len_tokens"}});
  EXPECT_THAT(read().poolings, ElementsAre(Selection::kMeanOverRoot));
  for (const Json& mode : {Json("median"), Json{"mean", "median"}}) {
    write("1_Pooling/config.json", {{"pooling_mode", mode}});
    EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { read(); }),
                testing::AllOf(HasSubstr("'median'"), HasSubstr("weightedmean")));
  }
}

TEST_F(SentenceFolder, RefusesWhatIsNotComputedForEmbeddingsAlone) {
  const auto refusal = [&](const std::string& type, const Json& config) {
    write_modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_X", type}});
    write("1_Pooling/config.json", {{"pooling_mode_mean_tokens", true}});
    write("2_X/config.json", config);
    return read().refusal;
  };
  EXPECT_THAT(refusal("LSTM", Json::object()), HasSubstr("models.LSTM' is not supported at all"));
  const Json dense = {{"in_features", 8}, {"out_features", 8}};
  Json other = dense;
  other["use_residual"] = true;
  EXPECT_THAT(refusal("Dense", other), HasSubstr("use_residual 'true'"));
  other = dense;
  other["activation_function"] = "torch.nn.modules.activation.PReLU";
  EXPECT_THAT(refusal("Dense", other), HasSubstr("activation.PReLU' is not supported"));
  other["activation_function"] = "mine.Activation";
  EXPECT_THAT(refusal("Dense", other), IsEmpty()) << "code of the folder's own is not trusted: Tanh then";
  EXPECT_EQ(read().activation, Activation::kTanh);
  write("config_sentence_transformers.json", {{"model_type", "SparseEncoder"}});
  EXPECT_THAT(refusal("Dense", dense), HasSubstr("model_type 'SparseEncoder'"));
}

TEST_F(SentenceFolder, TakesWhatSentenceTransformersWritesAndRefusesOtherSettingsOfTexts) {
  write_modules({{"", "Transformer"}});
  const Json written = {
      {"transformer_task", "feature-extraction"},
      {"modality_config", {{"text", {{"method", "forward"}, {"method_output_name", "last_hidden_state"}}}}},
      {"module_output_name", "token_embeddings"}};
  write("sentence_bert_config.json", written);
  EXPECT_THAT(read().refusal, IsEmpty()) << "as version 6.2 does";
  Json other = written;
  other["tokenizer_args"] = {{"model_max_length", 8}};
  write("sentence_bert_config.json", other);
  EXPECT_THAT(read().refusal, HasSubstr("sentence_bert_config.json: tokenizer_args"));
}

TEST_F(SentenceFolder, RefusesADefaultPromptThatIsNotThere) {
  write_modules({{"", "Transformer"}});
  write("config_sentence_transformers.json", {{"prompts", {{"a", "b"}}}, {"default_prompt_name", "query"}});
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { read(); }), HasSubstr("default_prompt_name"));
}

TEST_F(SentenceFolder, RefusesAListWithoutModules) {
  write("modules.json", Json::array());
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { read(); }), HasSubstr("modules.json lists no modules"));
}

TEST_F(SentenceFolder, KnowsACrossEncoder) {
  write("modules.json",
        {{{"idx", 0}, {"path", ""}, {"type", "sentence_transformers.base.modules.transformer.Transformer"}}});
  write("config_sentence_transformers.json",
        {{"model_type", "CrossEncoder"}, {"activation_fn", "torch.nn.modules.linear.Identity"}});
  const SentenceSettings settings = read();
  EXPECT_TRUE(settings.is_cross_encoder);
  EXPECT_EQ(settings.score_class, "torch.nn.modules.linear.Identity");
  EXPECT_THAT(settings.refusal, testing::HasSubstr("CrossEncoder")) << "of the task embedding";
}

}  // namespace
}  // namespace transformeter
