// Which matrices get adapters, and what else learns: names as PEFT has them (scripts/references/lora_reference.py).
#include "spec/lora.h"

#include "spec/adapter_config.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ModelConfig tiny(const std::string& folder) {
  return open_checkpoint(models_folder() / folder).config;
}

std::vector<std::string> adapted(const LoraPlan& plan) {
  std::vector<std::string> names;
  for (const LinearSpec& matrix : plan.matrices) names.push_back(matrix.weight);
  return names;
}

std::string refusal(const std::string& model, Task task, const std::string& targets,
                    ErrorKind kind = ErrorKind::kBadInput) {
  return message_of(kind, [&] { plan_lora(preset(model), task, {8, 8, targets}); });
}

// The mapping TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of PEFT 0.21.2, where it has the family.
TEST(PlanLora, AdaptsQueriesAndValuesUnlessToldOtherwise) {
  const auto targets = [](const std::string& model, Task task) {
    return plan_lora(preset(model), task, {8, 8, ""}).targets;
  };
  const Task classes = Task::kSequenceClassification;
  EXPECT_THAT(targets("bert-base", classes), ElementsAre("query", "value"));
  EXPECT_THAT(targets("roberta-base", classes), ElementsAre("query", "value"));
  EXPECT_THAT(targets("electra-small", classes), ElementsAre("query", "value"));
  EXPECT_THAT(targets("distilbert-base", classes), ElementsAre("q_lin", "v_lin"));
  EXPECT_THAT(targets("albert-base", classes), ElementsAre("query", "value"));
  EXPECT_THAT(targets("gpt2", Task::kCausalLm), ElementsAre("c_attn"));
  EXPECT_THAT(targets("opt-125m", Task::kCausalLm), ElementsAre("q_proj", "v_proj"));
  EXPECT_THAT(targets("qwen2.5-0.5b", Task::kCausalLm), ElementsAre("q_proj", "v_proj"));
  EXPECT_THAT(targets("t5-small", Task::kSeq2SeqLm), ElementsAre("q", "v"));
}

TEST(PlanLora, NamesModulesByTheirEnds) {
  const LoraPlan plan = plan_lora(tiny("tiny-bert-classifier"), Task::kSequenceClassification,
                                  {4, 8, "layer.0.attention.self.key, intermediate.dense"});
  EXPECT_THAT(adapted(plan), ElementsAre("bert.encoder.layer.0.attention.self.key.weight",
                                         "bert.encoder.layer.0.intermediate.dense.weight",
                                         "bert.encoder.layer.1.intermediate.dense.weight"));
  EXPECT_EQ(plan.scale(), 2);
  EXPECT_THAT(refusal("bert-test", Task::kSequenceClassification, "dense_"), HasSubstr("'dense_' is not known"));
}

// "ery" is no name, though "query" ends in it.
TEST(PlanLora, RefusesNamesThatNoModuleHasAndListsThoseThereAre) {
  EXPECT_THAT(refusal("bert-test", Task::kSequenceClassification, "query,valeu"),
              AllOf(HasSubstr("lora_targets 'valeu' is not known; allowed: query, key, value"), HasSubstr("all-linear"),
                    HasSubstr("Did you mean 'value'?")));
  EXPECT_THAT(refusal("bert-test", Task::kSequenceClassification, "ery"), HasSubstr("'ery' is not known"));
  EXPECT_THAT(refusal("bert-test", Task::kSequenceClassification, "query,,value"), HasSubstr("separated by commas"));
  EXPECT_THAT(refusal("bert-test", Task::kSequenceClassification, "classifier"), HasSubstr("'classifier' is not known"))
      << "which is trained whole";
}

TEST(PlanLora, RefusesConvolutions) {
  const std::string message = refusal("squeezebert", Task::kSequenceClassification, "", ErrorKind::kUnsupported);
  EXPECT_THAT(message, AllOf(HasSubstr("attention.query'"), HasSubstr("is a convolution")));
}

TEST(PlanLora, TrainsTheHeadOfATaskWhole) {
  const auto modules = [](const std::string& folder, Task task) {
    return plan_lora(tiny(folder), task, {4, 4, ""}).modules_to_save;
  };
  EXPECT_THAT(modules("tiny-bert", Task::kSequenceClassification), ElementsAre("classifier"));
  EXPECT_THAT(modules("tiny-distilbert", Task::kSequenceClassification), ElementsAre("pre_classifier", "classifier"));
  EXPECT_THAT(modules("tiny-roberta", Task::kSequenceClassification), ElementsAre("classifier"));
  EXPECT_THAT(modules("tiny-bert-reader", Task::kQuestionAnswering), ElementsAre("qa_outputs"));
  EXPECT_THAT(modules("tiny-gpt2", Task::kSequenceClassification), ElementsAre("score"));
  EXPECT_THAT(modules("tiny-gpt2", Task::kCausalLm), IsEmpty());
  EXPECT_THAT(modules("tiny-t5", Task::kSeq2SeqLm), IsEmpty());
}

TEST(PlanLora, TrainsWhatACheckpointLacks) {
  const ModelConfig config = tiny("tiny-bert-encoder");
  const LoraPlan plan = plan_lora(config, Task::kSequenceClassification, {4, 4, ""},
                                  {"bert.pooler.dense.weight", "bert.pooler.dense.bias", "classifier.weight"});
  EXPECT_THAT(plan.modules_to_save, ElementsAre("classifier", "bert.pooler.dense"));
  EXPECT_TRUE(plan.is_trainable("bert.pooler.dense.bias"));
  EXPECT_FALSE(plan.is_trainable("bert.encoder.layer.0.attention.self.query.weight"));
  EXPECT_FALSE(plan.is_trainable("classifiers.weight"));
  // Its bias belongs to a module that also holds the table of words.
  const std::string message = message_of(ErrorKind::kUnsupported, [&] {
    plan_lora(config, Task::kMaskedLm, {4, 4, ""}, {"cls.predictions.bias"});
  });
  EXPECT_THAT(message, HasSubstr("has no 'cls.predictions.bias', which task masked_lm needs"));
}

TEST(PlanLora, OfAllLinearModulesLeavesOutTheOutput) {
  const LoraPlan classifier = plan_lora(tiny("tiny-bert"), Task::kSequenceClassification, {4, 4, "all-linear"});
  EXPECT_EQ(classifier.matrices.size(), 6U * tiny("tiny-bert").source.at("num_hidden_layers").get<std::size_t>() + 1)
      << "six of each layer, and the pooler's";
  const LoraPlan writer = plan_lora(tiny("tiny-llama"), Task::kCausalLm, {4, 4, "all-linear"});
  EXPECT_THAT(adapted(writer), testing::Not(testing::Contains("lm_head.weight")));
  EXPECT_EQ(writer.matrices.size(), 7U * tiny("tiny-llama").source.at("num_hidden_layers").get<std::size_t>());
}

TEST(PlanLora, LayersThatShareWeightsShareTheirAdapter) {
  const LoraPlan plan = plan_lora(preset("albert-base"), Task::kSequenceClassification, {8, 8, ""});
  EXPECT_EQ(plan.matrices.size(), 2U);
}

// As PEFT 0.21.2 adapts Transformers' CLIPModel, for which it knows no targets itself.
TEST(PlanLora, AdaptsTheTowersOfImagesAndOfCaptions) {
  const ModelConfig config = tiny("tiny-clip");
  const LoraPlan plan = plan_lora(config, Task::kContrastiveImageText, {4, 4, ""});
  EXPECT_THAT(plan.targets, ElementsAre("q_proj", "v_proj"));
  ASSERT_EQ(plan.matrices.size(), 2U * (3 + 2)) << "layers of both";
  EXPECT_EQ(adapted(plan).front(), "vision_model.encoder.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(adapted(plan).back(), "text_model.encoder.layers.1.self_attn.v_proj.weight");
  EXPECT_THAT(plan.modules_to_save, IsEmpty()) << "CLIPModel has the projections itself";
  EXPECT_FALSE(plan.is_trainable("logit_scale"));
  const LoraPlan linear = plan_lora(config, Task::kContrastiveImageText, {4, 4, "all-linear"});
  EXPECT_EQ(linear.matrices.size(), 6U * (3 + 2) + 2);
  EXPECT_THAT(adapted(linear), testing::IsSupersetOf({"visual_projection.weight", "text_projection.weight"}));
}

TEST(PlanLora, OfACaseIsNothingWithoutARank) {
  Case request;
  request.task = Task::kSequenceClassification;
  EXPECT_FALSE(plan_lora(request, preset("bert-test")).has_value());
  request.lora_rank = 2;
  request.lora_targets = "key";
  const auto plan = plan_lora(request, preset("bert-test"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->rank, 2);
  EXPECT_EQ(plan->scale(), 4) << "alpha 8";
  EXPECT_THAT(plan->targets, ElementsAre("key"));
}

// bert-base: 24 matrices of 768 × 768, and a classifier of two classes.
TEST(TrainableCount, IsOfAdaptersAndTheHead) {
  const ModelConfig config = preset("bert-base");
  const auto inventory = tensor_inventory(config, Task::kSequenceClassification);
  const LoraPlan plan = plan_lora(config, Task::kSequenceClassification, {8, 8, ""});
  EXPECT_EQ(trainable_count(inventory, plan), 24 * 8 * (768 + 768) + 2 * 768 + 2);
  EXPECT_EQ(trainable_count(inventory, std::nullopt), 109'483'778);
}

// transformers/models/{llama,qwen2,qwen3,mistral}: Mistral's class calls its base model "model" as other heads' do.
TEST(WhyNotForPeft, NamesTaskAndFamilyOfModulesWithOtherNames) {
  for (const char* folder : {"tiny-llama", "tiny-qwen2", "tiny-qwen3"}) {
    const ModelConfig config = tiny(folder);
    EXPECT_EQ(why_not_for_peft(config, Task::kCausalLm), std::nullopt) << folder;
    EXPECT_EQ(why_not_for_peft(config, Task::kSequenceClassification), std::nullopt) << folder;
    EXPECT_THAT(why_not_for_peft(config, Task::kQuestionAnswering).value_or(""),
                AllOf(HasSubstr("task question_answering of family " + config.family()),
                      HasSubstr("ForQuestionAnswering begins them with 'transformer.'"), HasSubstr("--merge-adapter")));
  }
  for (const char* folder : {"tiny-mistral", "tiny-gpt2", "tiny-bert-reader"}) {
    EXPECT_EQ(why_not_for_peft(tiny(folder), Task::kQuestionAnswering), std::nullopt) << folder;
  }
  EXPECT_THAT(why_not_for_peft(tiny("tiny-vit"), Task::kImageClassification).value_or(""),
              AllOf(HasSubstr("task image_classification of family vit"), HasSubstr("Transformers 5")));
  EXPECT_EQ(why_not_for_peft(tiny("tiny-wav2vec2"), Task::kSpeechRecognition), std::nullopt);
  EXPECT_EQ(why_not_for_peft(tiny("tiny-clip"), Task::kContrastiveImageText), std::nullopt)
      << "modules of CLIPModel are those of its checkpoints";
}

TEST(AdapterInventory, HasBothMatricesUnderTheNamesOfPeft) {
  const LoraPlan plan = plan_lora(tiny("tiny-gpt2"), Task::kCausalLm, {4, 4, ""});
  const std::vector<TensorSpec> tensors = adapter_inventory(plan);
  ASSERT_EQ(tensors.size(), 2 * plan.matrices.size());
  EXPECT_EQ(tensors[0].name, "transformer.h.0.attn.c_attn.lora_A.weight");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{4, 32})) << "though the matrix is stored [in, out]";
  EXPECT_EQ(tensors[1].name, "transformer.h.0.attn.c_attn.lora_B.weight");
  EXPECT_EQ(tensors[1].shape, (std::vector<std::int64_t>{96, 4}));
}

}  // namespace
}  // namespace transformeter
