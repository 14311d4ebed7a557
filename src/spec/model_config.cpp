// Key names and defaults follow transformers/models/{bert,distilbert}/configuration_*.py of Transformers 5.23.
#include "spec/model_config.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

namespace {

// Bounds beyond reason: the largest published encoders stay 10 times below each, and products of any three fit int64.
constexpr std::int64_t kMaxVocabulary = 10'000'000;
constexpr std::int64_t kMaxWidth = 1 << 20;
constexpr std::int64_t kMaxLayers = 10'000;
constexpr std::int64_t kMaxPositions = 10'000'000;
constexpr std::int64_t kMaxLabels = 1'000'000;

const std::vector<std::pair<std::string, Activation>>& activations() {
  static const std::vector<std::pair<std::string, Activation>> kActivations = {
      {"gelu", Activation::kGelu},
      {"gelu_new", Activation::kGeluTanh},
      {"gelu_pytorch_tanh", Activation::kGeluTanh},
      {"relu", Activation::kRelu},
  };
  return kActivations;
}

std::string shown(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : canonical_json(value);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

/// Typed access to the keys of one object; null reads as missing, as Transformers writes it.
class Reader {
 public:
  Reader(const Json& json, std::string_view what) : json_(json), what_(what) {
    if (!json.is_object()) throw Error(ErrorKind::kBadInput, fmt::format("{} holds no JSON object", what));
  }

  const Json* find(const char* key) const {
    const auto it = json_.find(key);
    return it == json_.end() || it->is_null() ? nullptr : &*it;
  }

  std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t low, std::int64_t high) const {
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    const bool fits = value->is_number_integer() &&
                      (!value->is_number_unsigned() || value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high));
    if (!fits || value->get<std::int64_t>() < low || value->get<std::int64_t>() > high) {
      throw bad(key, *value, fmt::format("a whole number from {} to {}", low, high));
    }
    return value->get<std::int64_t>();
  }

  double number(const char* key, double fallback, double high) const {
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_number() || !(value->get<double>() >= 0) || value->get<double>() > high) {
      throw bad(key, *value, fmt::format("a number from 0 to {}", high));
    }
    return value->get<double>();
  }

  bool flag(const char* key, bool fallback) const {
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_boolean()) throw bad(key, *value, "true or false");
    return value->get<bool>();
  }

  std::string text(const char* key, const std::string& fallback) const {
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_string()) throw bad(key, *value, "a string");
    return value->get<std::string>();
  }

  Error bad(const char* key, const Json& value, std::string_view allowed, std::string_view hint = "") const {
    return bad_value(field(key), shown(value), allowed, hint);
  }

  std::string field(const char* key) const { return fmt::format("{}: {}", what_, key); }

 private:
  const Json& json_;
  std::string what_;
};

Error unsupported(const Reader& reader, const char* key, std::string_view value, std::string_view reason) {
  return Error(ErrorKind::kUnsupported, fmt::format("{} '{}' is not supported: {}.", reader.field(key), value, reason));
}

/// Keys whose usual value is the only one computed here; any other would give wrong numbers in silence.
void check_what_changes_the_maths(const Reader& reader) {
  const std::string positions = reader.text("position_embedding_type", "absolute");
  if (positions != "absolute") {
    throw unsupported(reader, "position_embedding_type", positions, "only absolute positions are computed");
  }
  for (const char* key : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    if (reader.flag(key, false)) throw unsupported(reader, key, "true", "the model is computed as an encoder");
  }
  const Json* pruned = reader.find("pruned_heads");
  if (pruned != nullptr && !pruned->empty()) {
    throw unsupported(reader, "pruned_heads", shown(*pruned), "all heads must be there");
  }
  if (const Json* quantization = reader.find("quantization_config")) {
    throw unsupported(reader, "quantization_config", shown(*quantization), "weights must be stored unquantised");
  }
}

/// id2label {"0": "negative", …} to names by index; the keys must be 0 … n−1.
std::vector<std::string> read_labels(const Reader& reader) {
  const Json* names = reader.find("id2label");
  if (names == nullptr) return {};
  if (!names->is_object() || names->empty() || names->size() > kMaxLabels) {
    throw reader.bad("id2label", *names, "an object of label names by number");
  }
  std::vector<std::string> labels(names->size());
  for (const auto& [key, name] : names->items()) {
    // Distinct whole numbers below n, one for each of n keys, are all of 0 … n−1; "01" would repeat "1".
    const auto index = parse_integer(key);
    if (!index || *index < 0 || *index >= static_cast<long long>(labels.size()) || std::to_string(*index) != key ||
        !name.is_string()) {
      throw reader.bad("id2label", *names, "an object of label names with the keys \"0\", \"1\", … without a gap");
    }
    labels[static_cast<std::size_t>(*index)] = name.get<std::string>();
  }
  return labels;
}

void read_label_count(const Reader& reader, ModelConfig& config) {
  config.labels = read_labels(reader);
  const auto named = static_cast<std::int64_t>(config.labels.size());
  config.num_labels = reader.integer("num_labels", named > 0 ? named : 2, 1, kMaxLabels);
  if (named > 0 && named != config.num_labels) {
    throw bad_value(reader.field("num_labels"), std::to_string(config.num_labels),
                    fmt::format("id2label names {} labels", named));
  }
}

Activation read_activation(const Reader& reader, const char* key) {
  const std::string name = reader.text(key, "gelu");
  std::vector<std::string> allowed;
  for (const auto& [known, activation] : activations()) {
    if (known == name) return activation;
    allowed.push_back(known);
  }
  throw unknown_value(reader.field(key), name, allowed);
}

void read_bert(const Reader& reader, ModelConfig& config) {
  config.architecture = Architecture::kBert;
  config.hidden_size = reader.integer("hidden_size", 768, 1, kMaxWidth);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, kMaxLayers);
  config.num_heads = reader.integer("num_attention_heads", 12, 1, kMaxWidth);
  config.intermediate_size = reader.integer("intermediate_size", 3072, 1, kMaxWidth);
  config.type_vocab_size = reader.integer("type_vocab_size", 2, 1, kMaxVocabulary);
  config.layer_norm_eps = reader.number("layer_norm_eps", 1e-12, 1);
  config.hidden_act = read_activation(reader, "hidden_act");
  config.hidden_dropout = reader.number("hidden_dropout_prob", 0.1, 1);
  config.attention_dropout = reader.number("attention_probs_dropout_prob", 0.1, 1);
  config.classifier_dropout = reader.number("classifier_dropout", config.hidden_dropout, 1);
}

void read_distilbert(const Reader& reader, ModelConfig& config) {
  config.architecture = Architecture::kDistilBert;
  config.hidden_size = reader.integer("dim", 768, 1, kMaxWidth);
  config.num_layers = reader.integer("n_layers", 6, 1, kMaxLayers);
  config.num_heads = reader.integer("n_heads", 12, 1, kMaxWidth);
  config.intermediate_size = reader.integer("hidden_dim", 3072, 1, kMaxWidth);
  config.type_vocab_size = 0;
  config.layer_norm_eps = 1e-12;  // a constant in modeling_distilbert.py
  config.hidden_act = read_activation(reader, "activation");
  config.hidden_dropout = reader.number("dropout", 0.1, 1);
  config.attention_dropout = reader.number("attention_dropout", 0.1, 1);
  config.classifier_dropout = reader.number("seq_classif_dropout", 0.2, 1);
  config.has_pooler = false;
  config.has_pre_classifier = true;
}

void read_common(const Reader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 30522, 1, kMaxVocabulary);
  config.max_position_embeddings = reader.integer("max_position_embeddings", 512, 1, kMaxPositions);
  config.pad_token_id = reader.integer("pad_token_id", 0, 0, config.vocab_size - 1);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  // DistilBERT's older files say tie_weights_; both must hold for the tie.
  config.tie_word_embeddings = reader.flag("tie_word_embeddings", true) && reader.flag("tie_weights_", true);
  read_label_count(reader, config);
  if (const Json* names = reader.find("architectures")) {
    if (!names->is_array()) throw reader.bad("architectures", *names, "a list of class names");
    for (const Json& name : *names) {
      if (!name.is_string()) throw reader.bad("architectures", *names, "a list of class names");
      config.architectures.push_back(name.get<std::string>());
    }
  }
}

}  // namespace

std::string_view name_of(Architecture architecture) {
  return architecture == Architecture::kBert ? "bert" : "distilbert";
}

std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_pytorch_tanh";
    case Activation::kRelu:
      return "relu";
  }
  return "gelu";
}

std::vector<std::string> known_model_types() {
  return {"bert", "distilbert"};
}

ModelConfig parse_model_config(const Json& json, std::string_view what) {
  const Reader reader(json, what);
  const std::string model_type = reader.text("model_type", "");
  ModelConfig config;
  if (model_type == "bert") {
    read_bert(reader, config);
  } else if (model_type == "distilbert") {
    read_distilbert(reader, config);
  } else {
    throw unknown_value(reader.field("model_type"), model_type, known_model_types());
  }
  read_common(reader, config);
  check_what_changes_the_maths(reader);
  if (config.hidden_size % config.num_heads != 0) {
    const bool bert = config.architecture == Architecture::kBert;
    throw bad_value(
        reader.field(bert ? "hidden_size" : "dim"), std::to_string(config.hidden_size),
        fmt::format("it must be a multiple of {} {}", bert ? "num_attention_heads" : "n_heads", config.num_heads));
  }
  return config;
}

Json to_json(const ModelConfig& config) {
  Json json = {{"model_type", name_of(config.architecture)},
               {"vocab_size", config.vocab_size},
               {"max_position_embeddings", config.max_position_embeddings},
               {"pad_token_id", config.pad_token_id},
               {"initializer_range", config.initializer_range},
               {"tie_word_embeddings", config.tie_word_embeddings},
               {"num_labels", config.num_labels}};
  const bool bert = config.architecture == Architecture::kBert;
  json[bert ? "hidden_size" : "dim"] = config.hidden_size;
  json[bert ? "num_hidden_layers" : "n_layers"] = config.num_layers;
  json[bert ? "num_attention_heads" : "n_heads"] = config.num_heads;
  json[bert ? "intermediate_size" : "hidden_dim"] = config.intermediate_size;
  json[bert ? "hidden_act" : "activation"] = name_of(config.hidden_act);
  json[bert ? "hidden_dropout_prob" : "dropout"] = config.hidden_dropout;
  json[bert ? "attention_probs_dropout_prob" : "attention_dropout"] = config.attention_dropout;
  json[bert ? "classifier_dropout" : "seq_classif_dropout"] = config.classifier_dropout;
  if (bert) {
    json["type_vocab_size"] = config.type_vocab_size;
    json["layer_norm_eps"] = config.layer_norm_eps;
  }
  for (std::size_t i = 0; i < config.labels.size(); ++i) json["id2label"][std::to_string(i)] = config.labels[i];
  if (!config.architectures.empty()) json["architectures"] = config.architectures;
  return json;
}

std::optional<std::string> task_of(const ModelConfig& config) {
  static const std::vector<std::pair<std::string, std::string>> kTasks = {
      {"ForSequenceClassification", "sequence_classification"},
      {"ForTokenClassification", "token_classification"},
      {"ForQuestionAnswering", "question_answering"},
      {"ForMaskedLM", "masked_lm"},
      {"ForPreTraining", "masked_lm"},
      {"Model", "embedding"},
  };
  const std::string family = config.architecture == Architecture::kBert ? "Bert" : "DistilBert";
  for (const std::string& name : config.architectures) {
    for (const auto& [suffix, task] : kTasks) {
      if (name == family + suffix) return task;
    }
  }
  return std::nullopt;
}

}  // namespace transformeter
