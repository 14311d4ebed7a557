// The config.json that a trained model is given, and presets written out in full.
#include "spec/saved_config.h"

#include "base/files.h"
#include "spec/architecture.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

ModelConfig config_of(const std::string& folder) {
  const std::filesystem::path path = models_folder() / folder / "config.json";
  return parse_model_config(parse_json(path.string(), read_file(path)), path.string());
}

TEST(ClassOf, IsWhatTransformersCallsIt) {
  EXPECT_EQ(class_of(preset("bert-test"), Task::kQuestionAnswering), "BertForQuestionAnswering");
  EXPECT_EQ(class_of(preset("distilbert-test"), Task::kSequenceClassification), "DistilBertForSequenceClassification");
  EXPECT_EQ(class_of(preset("gpt2-test"), Task::kCausalLm), "GPT2LMHeadModel");
  EXPECT_EQ(class_of(config_of("tiny-opt"), Task::kCausalLm), "OPTForCausalLM");
  EXPECT_EQ(class_of(config_of("tiny-bert"), Task::kEmbedding), "BertModel");
  message_of(ErrorKind::kUnsupported, [] { class_of(preset("bert-test"), Task::kCausalLm); });
}

// A class with two towers is one for both tasks.
Task task_of_class(const ModelConfig& config, Task task) {
  return has_two_towers(*config.architecture) ? base_task(*config.architecture) : task;
}

TEST(ClassOf, NamesTheTaskItWasAskedFor) {
  for (const std::string& name : preset_names()) {
    ModelConfig config = preset(name);
    for (Task task : tasks_of(*config.architecture)) {
      config.architectures = {class_of(config, task)};
      config.source["problem_type"] = problem_type_of(task) ? Json(*problem_type_of(task)) : Json();
      EXPECT_EQ(task_of(config), task_of_class(config, task)) << name;
    }
  }
}

TEST(SavedConfig, KeepsTheOriginalsKeysAndNamesTaskLabelsAndType) {
  ModelConfig config = config_of("tiny-bert-tagger");
  config.source["dtype"] = "float16";
  config.labels = {"bad", "good"};
  config.num_labels = 2;
  Json expected = Json::parse(read_file(models_folder() / "tiny-bert-tagger" / "config.json"));
  expected.erase("dtype");
  expected["torch_dtype"] = "float32";
  expected["architectures"] = {"BertForSequenceClassification"};
  expected["problem_type"] = "single_label_classification";
  expected["id2label"] = {{"0", "bad"}, {"1", "good"}};
  expected["label2id"] = {{"bad", 0}, {"good", 1}};
  EXPECT_EQ(saved_config(config, Task::kSequenceClassification, "float32"), expected);
}

TEST(SavedConfig, NamesLabelsThatHaveNoNamesAsTransformersDoes) {
  ModelConfig config = preset("bert-test");
  config.num_labels = 3;
  const Json json = saved_config(config, Task::kTokenClassification, "bfloat16");
  EXPECT_EQ(json.at("id2label"), Json({{"0", "LABEL_0"}, {"1", "LABEL_1"}, {"2", "LABEL_2"}}));
  EXPECT_FALSE(json.contains("problem_type"));
  EXPECT_EQ(parse_model_config(json).num_labels, 3);
}

TEST(SavedConfig, OfATaskWithoutClassesHasNoLabels) {
  const Json json = saved_config(config_of("tiny-bert-tagger"), Task::kQuestionAnswering, "float32");
  EXPECT_FALSE(json.contains("id2label"));
  EXPECT_FALSE(json.contains("label2id"));
}

// T5's files tell by tie_word_embeddings whether logits are scaled.
TEST(SavedConfig, OfT5KeepsTheScaleOfItsLogits) {
  for (const char* name : {"tiny-t5", "tiny-t5-relu"}) {
    ModelConfig config = config_of(name);
    config.source.erase("scale_decoder_outputs");
    config.source["tie_word_embeddings"] = std::string(name) == "tiny-t5-relu";
    config.has_own_decoder = true;
    const Json json = saved_config(config, Task::kSeq2SeqLm, "float32");
    EXPECT_EQ(json.at("architectures"), Json({"T5ForConditionalGeneration"}));
    const ModelConfig read = parse_model_config(json);
    EXPECT_EQ(draw_blueprint(read, Task::kSeq2SeqLm).head.input_scale,
              draw_blueprint(config, Task::kSeq2SeqLm).head.input_scale)
        << name;
  }
}

TEST(WithDefaults, SaysWhatAPresetLeavesToTransformers) {
  const Json bert = with_defaults(preset("bert-tiny"), Task::kSequenceClassification).source;
  const Json expected = {{"model_type", "bert"},       {"attention_probs_dropout_prob", 0.1},
                         {"classifier_dropout", 0.1},  {"hidden_act", "gelu"},
                         {"hidden_dropout_prob", 0.1}, {"hidden_size", 128},
                         {"initializer_range", 0.02},  {"intermediate_size", 512},
                         {"layer_norm_eps", 1e-12},    {"max_position_embeddings", 512},
                         {"num_attention_heads", 2},   {"num_hidden_layers", 2},
                         {"pad_token_id", 0},          {"position_embedding_type", "absolute"},
                         {"type_vocab_size", 2},       {"vocab_size", 30522}};
  EXPECT_EQ(bert, expected);
}

TEST(WithDefaults, LeavesWhatTheFileSaysEvenNull) {
  ModelConfig config = config_of("tiny-bert");
  EXPECT_TRUE(with_defaults(config, Task::kMaskedLm).source.at("classifier_dropout").is_null());
}

TEST(WithDefaults, ChangesNoModel) {
  for (const std::string& name : preset_names()) {
    const ModelConfig config = preset(name);
    for (Task task : tasks_of(*config.architecture)) {
      const ModelConfig whole = with_defaults(config, task);
      // What towers are made of stands in parts of the file, which nothing is added to.
      const bool is_added_to = whole.source.size() > config.source.size();
      EXPECT_EQ(is_added_to, !has_two_towers(*config.architecture)) << name;
      const ModelConfig read = parse_model_config(saved_config(whole, task, "float32"));
      EXPECT_EQ(draw_blueprint(read, task), draw_blueprint(config, task)) << name << ", " << name_of(task);
      EXPECT_EQ(read.max_length, config.max_length) << name;
      EXPECT_EQ(task_of(read), task_of_class(read, task)) << name;
    }
  }
}

}  // namespace
}  // namespace transformeter
