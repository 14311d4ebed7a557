// Inventories against Transformers' own listing, and counts against published figures.
#include "spec/tensor_inventory.h"

#include <map>
#include <set>

#include "base/files.h"
#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TensorInventory, NamesAndShapesAreThoseOfTransformersInItsOrder) {
  const auto path = models_folder() / "inventories.json";
  const Json listing = parse_json(path.string(), read_file(path));
  ASSERT_EQ(listing["models"].size(), 10u);
  for (const Json& model : listing["models"]) {
    const ModelConfig config = parse_model_config(model["config"]);
    const std::string task = task_of(config).value();
    const bool base_model = task == "embedding";  // saved without the prefix and, for BERT, with a pooler
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected;
    for (const Json& parameter : model["parameters"]) {
      std::string name = parameter[0];
      if (base_model) name = std::string(name_of(config.architecture)) + "." + name;
      if (base_model && name.find(".pooler.") != std::string::npos) continue;
      expected.emplace_back(name, parameter[1].get<std::vector<std::int64_t>>());
    }
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> found;
    for (const TensorSpec& tensor : tensor_inventory(config, task)) found.emplace_back(tensor.name, tensor.shape);
    EXPECT_EQ(found, expected) << config.architectures.front();
  }
}

std::int64_t count(const char* name, const char* task) {
  return parameter_count(tensor_inventory(preset(name), task));
}

TEST(ParameterCount, IsThePublishedOne) {
  EXPECT_EQ(count("distilbert-base", "embedding"), 66'362'880);
  EXPECT_EQ(count("distilbert-base", "sequence_classification"), 66'955'010);
  // BertModel's published count holds the pooler and no classifier of 2 × 768 weights and 2 biases.
  EXPECT_EQ(count("bert-base", "sequence_classification"), 109'482'240 + 2 * 768 + 2);
  EXPECT_EQ(count("bert-base", "embedding"), 109'482'240 - 768 * 768 - 768);
  EXPECT_EQ(count("bert-large", "sequence_classification"), 335'141'888 + 2 * 1024 + 2);
  // Turc et al.: BERT-tiny has 4.4 million, mini 11.3, small 29.1, medium 41.7.
  EXPECT_EQ(count("bert-tiny", "sequence_classification"), 4'385'920 + 2 * 128 + 2);
  EXPECT_NEAR(static_cast<double>(count("bert-mini", "sequence_classification")), 11.3e6, 0.2e6);
  EXPECT_NEAR(static_cast<double>(count("bert-small", "sequence_classification")), 29.1e6, 0.4e6);
  EXPECT_NEAR(static_cast<double>(count("bert-medium", "sequence_classification")), 41.7e6, 0.4e6);
}

TEST(TensorInventory, TiedTensorsAreListedOnce) {
  // The decoder shares the word embedding: the head is a transform (C² + C), a LayerNorm (2 C) and a bias (V).
  for (const char* name : {"bert-test", "distilbert-test"}) {
    EXPECT_EQ(count(name, "masked_lm") - count(name, "embedding"), 64 * 64 + 64 + 2 * 64 + 4096) << name;
  }
  EXPECT_EQ(tensor_inventory(preset("bert-test"), "masked_lm").front().tied_name, "cls.predictions.decoder.weight");
  EXPECT_EQ(tensor_inventory(preset("distilbert-test"), "masked_lm").front().tied_name, "vocab_projector.weight");
  EXPECT_EQ(tensor_inventory(preset("distilbert-test"), "embedding").front().tied_name, "");
}

TEST(TensorInventory, WeightsAreDrawnBiasesZeroLayerNormsOne) {
  std::map<std::string, Initialization> init;
  for (const TensorSpec& tensor : tensor_inventory(preset("bert-test"), "sequence_classification")) {
    init[tensor.name] = tensor.init;
  }
  EXPECT_EQ(init.at("classifier.weight"), Initialization::kNormal);
  EXPECT_EQ(init.at("classifier.bias"), Initialization::kZeros);
  EXPECT_EQ(init.at("bert.embeddings.LayerNorm.weight"), Initialization::kOnes);
  EXPECT_EQ(init.at("bert.embeddings.LayerNorm.bias"), Initialization::kZeros);
  EXPECT_EQ(init.at("bert.embeddings.word_embeddings.weight"), Initialization::kNormal);
}

TEST(TensorInventory, RefusesUnknownAndImpossibleTasks) {
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [] { tensor_inventory(preset("bert-test"), "embeddings"); }),
              AllOf(HasSubstr("task 'embeddings'"), HasSubstr("Did you mean 'embedding'?")));
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [] { tensor_inventory(preset("bert-test"), "causal_lm"); }),
              AllOf(HasSubstr("'causal_lm'"), HasSubstr("bert"), HasSubstr("masked_lm")));
  ModelConfig untied = preset("bert-test");
  untied.tie_word_embeddings = false;
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { tensor_inventory(untied, "masked_lm"); }),
              HasSubstr("tie_word_embeddings"));
  EXPECT_NO_THROW(tensor_inventory(untied, "embedding"));
}

}  // namespace
}  // namespace transformeter
