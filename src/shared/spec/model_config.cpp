// The keys that all families share; the others are read by the family's own file.
#include "spec/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "schema/case.h"
#include "spec/architecture.h"

namespace transformeter {

namespace {

/// id2label {"0": "negative", …} to names by index; the keys must be 0 … n−1.
std::vector<std::string> read_labels(const ConfigReader& reader) {
  const Json* names = reader.find("id2label");
  if (names == nullptr) return {};
  if (!names->is_object() || names->empty() || names->size() > kMaxLabels) {
    throw reader.bad("id2label", *names, "an object that maps numbers to label names");
  }
  std::vector<std::string> labels(names->size());
  for (const auto& [key, name] : names->items()) {
    // Distinct whole numbers below n, one for each of n keys, are all of 0 … n−1; "01" would repeat "1".
    const auto index = parse_integer(key);
    if (!index || *index < 0 || *index >= static_cast<long long>(labels.size()) || std::to_string(*index) != key ||
        !name.is_string()) {
      throw reader.bad("id2label", *names, "an object of label names with the consecutive keys \"0\", \"1\", …");
    }
    labels[static_cast<std::size_t>(*index)] = name.get<std::string>();
  }
  return labels;
}

void read_label_count(const ConfigReader& reader, ModelConfig& config) {
  config.labels = read_labels(reader);
  const auto named = static_cast<std::int64_t>(config.labels.size());
  config.num_labels = reader.integer("num_labels", named > 0 ? named : 2, 1, kMaxLabels);
  if (named > 0 && named != config.num_labels) {
    throw bad_value(reader.field("num_labels"), std::to_string(config.num_labels),
                    fmt::format("{}, the number of labels in id2label", named));
  }
}

void read_classes(const ConfigReader& reader, ModelConfig& config) {
  const Json* names = reader.find("architectures");
  if (names == nullptr) return;
  if (!names->is_array()) throw reader.bad("architectures", *names, "a list of class names");
  for (const Json& name : *names) {
    if (!name.is_string()) throw reader.bad("architectures", *names, "a list of class names");
    config.architectures.push_back(name.get<std::string>());
  }
}

void read_special_tokens(const ConfigReader& reader, ModelConfig& config) {
  const std::int64_t last = config.vocab_size - 1;
  // Some checkpoints write −1 for none; a family may have one where the key is missing.
  const Json* pad = reader.find("pad_token_id");
  if (pad != nullptr && *pad != -1) {
    config.pad_token_id = reader.integer("pad_token_id", 0, 0, last);
  } else if (reader.has("pad_token_id")) {
    config.pad_token_id.reset();
  }
  const Json* end = reader.find("eos_token_id");
  if (end == nullptr) return;
  for (const Json& id : end->is_array() ? *end : Json::array({*end})) {
    const auto number = whole_number<std::int64_t>(id);
    if (!number || *number < -1) throw reader.bad("eos_token_id", *end, "a token id, or a list of them");
    // One beyond the vocabulary never comes; Transformers warns and goes on.
    if (*number >= 0 && *number <= last) config.eos_token_ids.push_back(*number);
  }
}

}  // namespace

// Keys whose usual value is the only one computed here; any other would give wrong numbers in silence.
void check_what_changes_the_maths(const ConfigReader& reader, const Architecture& architecture) {
  for (const char* key : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    const bool is_usual = architecture.may_have_decoder && key == std::string_view("is_encoder_decoder");
    if (!is_usual) reader.require(key, false, "only the family's usual setting is supported");
  }
  if (architecture.may_have_decoder) reader.flag("is_encoder_decoder", true);
  const Json* pruned = reader.find("pruned_heads");
  if (pruned != nullptr && !pruned->empty()) {
    throw reader.unsupported("pruned_heads", *pruned, "pruned heads are not supported");
  }
  if (const Json* layers = reader.find("per_layer_config")) {
    throw reader.unsupported("per_layer_config", *layers, "all layers have the same settings");
  }
  if (const Json* quantization = reader.find("quantization_config")) {
    throw reader.unsupported("quantization_config", *quantization, "quantized weights are not supported");
  }
}

// What a family without an original reads is not known.
void note_unknown_keys(const ConfigReader& reader, std::string_view prefix, ModelConfig& config) {
  const std::optional<std::vector<std::string>>& refused = config.architecture->refused_keys;
  for (const std::string& key : reader.unknown_keys()) {
    if (!refused || std::find(refused->begin(), refused->end(), key) != refused->end()) {
      throw reader.unsupported(key, *reader.find(key),
                               "it is unknown for this model_type and may change what the model computes");
    }
    config.unread_keys.push_back(fmt::format("{}{}", prefix, key));
  }
}

namespace {

// Asks for all keys of the family, by drawing what it is made of once.
void check_keys(const ConfigReader& reader, ModelConfig& config) {
  const Architecture& architecture = *config.architecture;
  if (architecture.draw) architecture.draw(reader, config, architecture.heads.front());
  if (architecture.inventory) architecture.inventory(reader, config, architecture.heads.front());
  if (architecture.draw || architecture.inventory) note_unknown_keys(reader, "", config);
}

}  // namespace

std::int64_t ModelConfig::text_length(Task task, std::optional<std::int64_t> tokenizer_limit) const {
  const bool has_own = sentence.prepares(task) && sentence.max_length;
  return std::min(max_length, (has_own ? sentence.max_length : tokenizer_limit).value_or(max_length));
}

std::int64_t ModelConfig::text_length(const Case& asked, std::optional<std::int64_t> tokenizer_limit) const {
  return asked.max_length.value_or(text_length(asked.task, tokenizer_limit));
}

const std::string& ModelConfig::family() const {
  return architecture->family;
}

ModelConfig parse_model_config(const Json& json, std::string_view what, const Architectures& architectures) {
  const ConfigReader reader(json, what);
  const std::string model_type = reader.text("model_type", "");
  ModelConfig config;
  config.architecture = architectures.find(model_type);
  if (!config.architecture) throw unknown_value(reader.field("model_type"), model_type, architectures.families());
  check_what_changes_the_maths(reader, *config.architecture);
  config.architecture->read(reader, config);
  const bool has_tokens = reads(*config.architecture, Modality::kText) || reads(*config.architecture, Modality::kAudio);
  if (has_tokens) read_special_tokens(reader, config);
  read_label_count(reader, config);
  read_classes(reader, config);
  config.source = json;
  for (const char* key : {"id2label", "label2id", "num_labels"}) config.source.erase(key);
  check_keys(reader, config);
  return config;
}

ModelConfig parse_model_config(const Json& json, std::string_view what) {
  return parse_model_config(json, what, builtin_architectures());
}

Json to_json(const ModelConfig& config) {
  Json json = config.source;
  json["num_labels"] = config.num_labels;
  for (std::size_t i = 0; i < config.labels.size(); ++i) json["id2label"][std::to_string(i)] = config.labels[i];
  return json;
}

bool has_class_names(const ModelConfig& config) {
  return std::any_of(config.labels.begin(), config.labels.end(),
                     [](const std::string& label) { return !label.starts_with("LABEL_"); });
}

std::string pooling_of(const ModelConfig& config) {
  return config.architecture->pools_itself ? "own" : pooling_name(config.sentence.poolings);
}

Json to_json(const ImageShape& image) {
  return {{"channels", image.channels}, {"height", image.size.height}, {"width", image.size.width}};
}

namespace {

// What heads of classes are for, as Transformers' problem_type names it.
struct ProblemType {
  Task task;
  std::string_view name;
};
constexpr std::array kProblemTypes{ProblemType{Task::kSequenceClassification, "single_label_classification"},
                                   ProblemType{Task::kMultiLabelClassification, "multi_label_classification"},
                                   ProblemType{Task::kRegression, "regression"}};

Task task_of_problem(const ModelConfig& config) {
  const Json problem = config.source.value("problem_type", Json());
  for (const ProblemType& one : kProblemTypes) {
    if (problem == one.name) return one.task;
  }
  return Task::kSequenceClassification;
}

}  // namespace

std::optional<std::string_view> problem_type_of(Task task) {
  for (const ProblemType& one : kProblemTypes) {
    if (one.task == task) return one.name;
  }
  return std::nullopt;
}

std::optional<Task> task_of(const ModelConfig& config) {
  const bool is_of_sounds = reads(*config.architecture, Modality::kAudio);
  const std::vector<std::pair<std::string, Task>> tasks = {
      {"ForSequenceClassification", is_of_sounds ? Task::kAudioClassification : Task::kSequenceClassification},
      {"ForTokenClassification", Task::kTokenClassification},
      {"ForQuestionAnswering", Task::kQuestionAnswering},
      {"ForMaskedLM", Task::kMaskedLm},
      {"ForPreTraining", is_of_sounds ? Task::kAudioEmbedding : Task::kMaskedLm},
      {"ForCausalLM", Task::kCausalLm},
      {"ForConditionalGeneration", Task::kSeq2SeqLm},
      {"LMHeadModel", Task::kCausalLm},
      {"ForImageClassification", Task::kImageClassification},
      {"ForCTC", Task::kSpeechRecognition},
      {"Model", base_task(*config.architecture)},
      {"EncoderModel", base_task(*config.architecture)},
      {"ModelWithProjection", base_task(*config.architecture)},
  };
  for (const std::string& name : config.architectures) {
    if (name == "ElectraForPreTraining") continue;  // finds replaced tokens, which is no task here
    if (name == config.architecture->class_name(HeadKind::kNextToken)) return Task::kCausalLm;
    for (const auto& [suffix, task] : tasks) {
      if (name != config.architecture->class_prefix + suffix) continue;
      return task == Task::kSequenceClassification ? task_of_problem(config) : task;
    }
  }
  return std::nullopt;
}

}  // namespace transformeter
