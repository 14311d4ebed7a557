// What a model's config.json says, typed and checked: the one description that inventories, formulas and modules are
// built from. Knows the encoders BERT and DistilBERT in the spelling of Hugging Face Transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

enum class Architecture { kBert, kDistilBert };

enum class Activation {
  kGelu,      // x Φ(x) with the error function
  kGeluTanh,  // the tanh approximation: "gelu_new", "gelu_pytorch_tanh"
  kRelu,
};

/// As config.json spells it: "bert", "distilbert".
std::string_view name_of(Architecture architecture);
/// "gelu", "gelu_pytorch_tanh", "relu".
std::string_view name_of(Activation activation);

/// Defaults are those of Transformers' BertConfig. All sizes are positive unless said otherwise.
struct ModelConfig {
  Architecture architecture = Architecture::kBert;
  std::int64_t vocab_size = 30522;
  std::int64_t hidden_size = 768;  // a multiple of num_heads
  std::int64_t num_layers = 12;
  std::int64_t num_heads = 12;
  std::int64_t intermediate_size = 3072;
  std::int64_t max_position_embeddings = 512;
  std::int64_t type_vocab_size = 2;  // 0 for DistilBERT, which has no token types
  std::int64_t pad_token_id = 0;     // in [0, vocab_size)
  std::int64_t num_labels = 2;
  double layer_norm_eps = 1e-12;
  double initializer_range = 0.02;  // standard deviation of seeded random weights
  Activation hidden_act = Activation::kGelu;
  // Only training draws dropout masks. classifier_dropout stands before the sequence or token classifier.
  double hidden_dropout = 0.1;
  double attention_dropout = 0.1;
  double classifier_dropout = 0.1;
  // Sequence classification passes the first token through BERT's pooler (dense, tanh) or DistilBERT's pre_classifier
  // (dense, ReLU): exactly one of the two is true.
  bool has_pooler = true;
  bool has_pre_classifier = false;
  bool tie_word_embeddings = true;         // the masked-LM decoder shares the word embedding's weight
  std::vector<std::string> labels;         // by index; empty when the file names none, else num_labels entries
  std::vector<std::string> architectures;  // the classes that saved the checkpoint, as "BertForSequenceClassification"

  std::int64_t head_dim() const { return hidden_size / num_heads; }
  bool operator==(const ModelConfig&) const = default;
};

/// Reads a config.json. A key that is missing has Transformers' default for the model type; keys that do not change the
/// maths are ignored. Throws Error(kBadInput) naming `what`, the key and its value: an unknown model_type or
/// activation, a wrong type, a size that is not positive or beyond reason; Error(kUnsupported) for what is understood
/// but not computed here: relative positions, decoders, cross attention, pruned heads, quantised weights.
ModelConfig parse_model_config(const Json& json, std::string_view what = "config.json");

/// The config.json that parse_model_config reads back to the same configuration.
Json to_json(const ModelConfig& config);

/// The values of model_type that parse_model_config knows.
std::vector<std::string> known_model_types();

/// The task named by config.architectures ("BertForSequenceClassification" is "sequence_classification",
/// "BertModel" is "embedding"); nothing when the list is empty or names none that is known.
std::optional<std::string> task_of(const ModelConfig& config);

}  // namespace transformeter
