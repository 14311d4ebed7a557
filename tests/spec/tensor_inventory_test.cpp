// Inventories against Transformers' own listing, and counts against published figures.
#include "spec/tensor_inventory.h"

#include <map>
#include <set>

#include "base/files.h"
#include "spec/architecture.h"
#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

/// Names without the family's base prefix, so that a base model and one with a head compare alike.
std::string bare(const Architecture& architecture, const std::string& name) {
  for (const std::string& prefix : architecture.base_prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

TEST(TensorInventory, NamesAndShapesAreThoseOfTransformers) {
  const auto path = models_folder() / "inventories.json";
  const Json listing = parse_json(path.string(), read_file(path));
  ASSERT_GE(listing.at("models").size(), 60u);
  std::set<std::string> families;
  for (const Json& model : listing.at("models")) {
    const ModelConfig config = parse_model_config(model.at("config"));
    families.insert(config.family());
    const auto task = model.at("task").get<Task>();
    EXPECT_EQ(task_of(config), task);
    SCOPED_TRACE(config.architectures.front());
    Shapes expected;
    for (const Json& parameter : model.at("parameters")) {
      const std::string name = bare(*config.architecture, parameter.at(0));
      // Some of Transformers' classes carry a pooler that their task does not read.
      if (name.starts_with("pooler.") && head_of(task) != HeadKind::kSequenceClasses) continue;
      expected[name] = parameter.at(1).get<std::vector<std::int64_t>>();
    }
    Shapes found;
    for (const TensorSpec& tensor : tensor_inventory(config, task)) {
      found[bare(*config.architecture, tensor.name)] = tensor.shape;
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(families.size(), builtin_architectures().families().size() - 2) << "xlm-roberta and camembert are roberta";
}

std::int64_t count(const char* name, Task task) {
  return parameter_count(tensor_inventory(preset(name), task));
}

TEST(ParameterCount, IsThePublishedOne) {
  EXPECT_EQ(count("vit-base", Task::kImageClassification), 86'567'656);
  EXPECT_EQ(parameter_count(base_inventory(preset("vit-base"))), 86'389'248) << "with its pooler";
  EXPECT_EQ(count("distilbert-base", Task::kEmbedding), 66'362'880);
  EXPECT_EQ(count("distilbert-base", Task::kSequenceClassification), 66'955'010);
  // BertModel's published count holds the pooler and no classifier of 2 × 768 weights and 2 biases.
  EXPECT_EQ(count("bert-base", Task::kSequenceClassification), 109'482'240 + 2 * 768 + 2);
  EXPECT_EQ(count("bert-base", Task::kEmbedding), 109'482'240 - 768 * 768 - 768);
  EXPECT_EQ(count("bert-large", Task::kSequenceClassification), 335'141'888 + 2 * 1024 + 2);
  // Turc et al.: BERT-tiny has 4.4 million, mini 11.3, small 29.1, medium 41.7.
  EXPECT_EQ(count("bert-tiny", Task::kSequenceClassification), 4'385'920 + 2 * 128 + 2);
  EXPECT_NEAR(static_cast<double>(count("bert-mini", Task::kSequenceClassification)), 11.3e6, 0.2e6);
  EXPECT_NEAR(static_cast<double>(count("bert-small", Task::kSequenceClassification)), 29.1e6, 0.4e6);
  EXPECT_NEAR(static_cast<double>(count("bert-medium", Task::kSequenceClassification)), 41.7e6, 0.4e6);
}

TEST(BaseInventory, CountsArePublishedOnes) {
  const std::vector<std::pair<const char*, std::int64_t>> published = {
      {"bert-base", 109'482'240},    {"bert-large", 335'141'888},    {"distilbert-base", 66'362'880},
      {"roberta-base", 124'645'632}, {"roberta-large", 355'359'744}, {"xlm-roberta-base", 278'043'648},
      {"albert-base", 11'683'584},   {"electra-small", 13'483'008},  {"electra-base", 108'891'648},
      {"gpt2", 124'439'808},         {"gpt2-medium", 354'823'168},   {"gpt2-large", 774'030'080},
      {"gpt2-xl", 1'557'611'200},    {"opt-125m", 125'239'296},      {"opt-350m", 331'196'416},
      {"opt-1.3b", 1'315'758'080},   {"qwen2.5-0.5b", 494'032'768},  {"qwen2.5-1.5b", 1'543'714'304},
      {"qwen3-0.6b", 596'049'920},   {"smollm2-135m", 134'515'008},  {"llama-3.2-1b", 1'235'814'400},
      {"squeezebert", 51'089'664},   {"mpnet-base", 109'486'464},    {"mistral-7b", 7'110'660'096},
      {"gemma-3-270m", 268'098'176}, {"gemma-3-1b", 999'885'952},    {"phi-3-mini", 3'722'578'944}};
  for (const auto& [name, parameters] : published) {
    EXPECT_EQ(parameter_count(base_inventory(preset(name))), parameters) << name;
  }
}

TEST(TensorInventory, ADecodersOwnWordsAreAMatrixMore) {
  // As Phi-3-mini is published, with its head.
  EXPECT_EQ(parameter_count(tensor_inventory(preset("phi-3-mini"), Task::kCausalLm)), 3'821'079'552);
}

TEST(TensorInventory, ADecodersClassifierIsOneMatrix) {
  ModelConfig config = preset("qwen2.5-0.5b");
  config.num_labels = 23;
  EXPECT_EQ(parameter_count(tensor_inventory(config, Task::kSequenceClassification)), 494'032'768 + 23 * 896);
}

TEST(TensorInventory, TiedTensorsAreListedOnce) {
  // The decoder shares the word embedding: the head is a transform (C² + C), a LayerNorm (2 C) and a bias (V).
  for (const char* name : {"bert-test", "distilbert-test"}) {
    EXPECT_EQ(count(name, Task::kMaskedLm) - count(name, Task::kEmbedding), 64 * 64 + 64 + 2 * 64 + 4096) << name;
  }
  EXPECT_EQ(tensor_inventory(preset("bert-test"), Task::kMaskedLm).front().tied_name, "cls.predictions.decoder.weight");
  EXPECT_EQ(tensor_inventory(preset("distilbert-test"), Task::kMaskedLm).front().tied_name, "vocab_projector.weight");
  EXPECT_EQ(tensor_inventory(preset("distilbert-test"), Task::kEmbedding).front().tied_name, "");
}

TEST(TensorInventory, WeightsAreDrawnBiasesZeroLayerNormsOne) {
  std::map<std::string, Initialization> init;
  for (const TensorSpec& tensor : tensor_inventory(preset("bert-test"), Task::kSequenceClassification)) {
    init[tensor.name] = tensor.init;
  }
  EXPECT_EQ(init.at("classifier.weight"), Initialization::kNormal);
  EXPECT_EQ(init.at("classifier.bias"), Initialization::kZeros);
  EXPECT_EQ(init.at("bert.embeddings.LayerNorm.weight"), Initialization::kOnes);
  EXPECT_EQ(init.at("bert.embeddings.LayerNorm.bias"), Initialization::kZeros);
  EXPECT_EQ(init.at("bert.embeddings.word_embeddings.weight"), Initialization::kNormal);
}

TEST(TensorInventory, KnowsWhatAProductSumsUp) {
  const auto fan_in = [](const char* model, const std::string& name) {
    for (const TensorSpec& tensor : tensor_inventory(preset(model), Task::kEmbedding)) {
      if (tensor.name == name) return tensor.fan_in;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(fan_in("bert-test", "bert.embeddings.word_embeddings.weight"), 1);
  EXPECT_EQ(fan_in("bert-test", "bert.embeddings.position_embeddings.weight"), 1);
  EXPECT_EQ(fan_in("bert-test", "bert.encoder.layer.0.output.dense.weight"), 128);
  EXPECT_EQ(fan_in("gpt2-test", "transformer.h.0.mlp.c_fc.weight"), 64) << "[in, out]";
  EXPECT_EQ(fan_in("gpt2-test", "transformer.h.0.mlp.c_proj.weight"), 256) << "[in, out]";
  // In four groups, each output sums a quarter of the channels.
  EXPECT_EQ(fan_in("squeezebert-test", "transformer.encoder.layers.0.attention.query.weight"), 64 / 4);
}

// Where one matrix makes all three, or queries are normed, the query's own scale does not decide the scores'.
TEST(TensorInventory, GivesQueriesOfTheirOwnTwiceTheDeviation) {
  const auto gain = [](const char* model, const std::string& name) {
    for (const TensorSpec& tensor : tensor_inventory(preset(model), Task::kEmbedding)) {
      if (tensor.name == name) return tensor.gain;
    }
    return 0.0;
  };
  EXPECT_EQ(gain("bert-test", "bert.encoder.layer.1.attention.self.query.weight"), 2);
  EXPECT_EQ(gain("bert-test", "bert.encoder.layer.1.attention.self.key.weight"), 1);
  EXPECT_EQ(gain("llama-test", "model.layers.0.self_attn.q_proj.weight"), 2);
  EXPECT_EQ(gain("qwen3-0.6b", "model.layers.0.self_attn.q_proj.weight"), 1);
  EXPECT_EQ(gain("gpt2-test", "transformer.h.0.attn.c_attn.weight"), 1);
}

TEST(TensorInventory, RefusesImpossibleTasks) {
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [] { tensor_inventory(preset("bert-test"), Task::kCausalLm); }),
              AllOf(HasSubstr("'causal_lm'"), HasSubstr("bert"), HasSubstr("masked_lm")));
}

TEST(TensorInventory, HasADecoderOfItsOwnWhereNothingIsTied) {
  const auto names = [](const ModelConfig& config) {
    std::vector<std::string> all;
    for (const TensorSpec& tensor : tensor_inventory(config, Task::kMaskedLm)) all.push_back(tensor.name);
    return all;
  };
  ModelConfig untied = preset("bert-test");
  untied.source["tie_word_embeddings"] = false;
  EXPECT_THAT(names(untied), AllOf(Contains("cls.predictions.decoder.weight"), Contains("cls.predictions.decoder.bias"),
                                   Not(Contains("cls.predictions.bias"))));
  ModelConfig differing = preset("bert-test");
  differing.has_own_decoder = true;
  EXPECT_THAT(names(differing), AllOf(Contains("cls.predictions.decoder.weight"), Contains("cls.predictions.bias")));
  EXPECT_THAT(names(preset("bert-test")), Not(Contains("cls.predictions.decoder.weight")));
}

}  // namespace
}  // namespace transformeter
