// Reading keys, and the list of keys that do no harm.
#include "spec/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace transformeter {

namespace {

struct ActivationName {
  std::string_view name;
  Activation activation;
};

// Transformers' ACT2FN without those that have parameters, prelu and xielu. Of several names the first is shown.
constexpr ActivationName kActivationNames[] = {
    {"gelu", Activation::kGelu},
    {"gelu_python", Activation::kGelu},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"gelu_accurate", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_python_tanh", Activation::kGeluTanh},
    {"gelu_10", Activation::kClippedGelu},
    {"quick_gelu", Activation::kQuickGelu},
    {"hardswish", Activation::kHardSwish},
    {"laplace", Activation::kLaplace},
    {"leaky_relu", Activation::kLeakyRelu},
    {"linear", Activation::kLinear},
    {"mish", Activation::kMish},
    {"relu", Activation::kRelu},
    {"relu2", Activation::kSquaredRelu},
    {"relu6", Activation::kRelu6},
    {"sigmoid", Activation::kSigmoid},
    {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},
    {"sqrtsoftplus", Activation::kSqrtSoftplus},
    {"tanh", Activation::kTanh},
};

// What Transformers and sentence-transformers write into any config.json and a forward pass does not read: names,
// defaults of generation, kinds of output, training.
constexpr std::string_view kHarmless[] = {"architectures",
                                          "attn_implementation",
                                          "bad_words_ids",
                                          "begin_suppress_tokens",
                                          "bos_token_id",
                                          "chunk_size_feed_forward",
                                          "cls_token_id",
                                          "cross_attention_hidden_size",
                                          "decoder_start_token_id",
                                          "diversity_penalty",
                                          "do_sample",
                                          "dtype",
                                          "early_stopping",
                                          "encoder_no_repeat_ngram_size",
                                          "eos_token_id",
                                          "exponential_decay_length_penalty",
                                          "finetuning_task",
                                          "forced_bos_token_id",
                                          "forced_eos_token_id",
                                          "gradient_checkpointing",
                                          "id2label",
                                          "initializer_factor",
                                          "label2id",
                                          "language",
                                          "layerdrop",
                                          "length_penalty",
                                          "mask_token_id",
                                          "max_length",
                                          "min_length",
                                          "model_max_length",
                                          "model_type",
                                          "name_or_path",
                                          "no_repeat_ngram_size",
                                          "num_beam_groups",
                                          "num_beams",
                                          "num_labels",
                                          "num_return_sequences",
                                          "output_attentions",
                                          "output_hidden_states",
                                          "output_past",
                                          "output_scores",
                                          "prefix",
                                          "problem_type",
                                          "remove_invalid_values",
                                          "repetition_penalty",
                                          "return_dict",
                                          "return_dict_in_generate",
                                          "sbert_ce_default_activation_function",
                                          "sentence_transformers",
                                          "sep_token_id",
                                          "suppress_tokens",
                                          "task_specific_params",
                                          "temperature",
                                          "tf_legacy_loss",
                                          "tie_encoder_decoder",
                                          "tie_weights_",
                                          "tie_word_embeddings",
                                          "tokenizer_class",
                                          "top_k",
                                          "top_p",
                                          "torch_dtype",
                                          "torchscript",
                                          "transformers_version",
                                          "typical_p",
                                          "unk_token_id",
                                          "use_bfloat16",
                                          "use_cache"};

std::string shown(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : canonical_json(value);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

}  // namespace

ConfigReader::ConfigReader(const Json& json, std::string_view what) : json_(json), what_(what) {
  if (!json.is_object()) throw Error(ErrorKind::kBadInput, fmt::format("{} does not contain a JSON object", what));
}

const Json* ConfigReader::find(std::string_view key) const {
  known_.emplace(key);
  const auto it = json_.find(key);
  return it == json_.end() || it->is_null() ? nullptr : &*it;
}

std::int64_t ConfigReader::integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                                   std::int64_t high) const {
  const Json* value = find(key);
  if (value == nullptr) {
    note_default(key, fallback);
    return fallback;
  }
  const auto number = whole_number<std::int64_t>(*value);
  if (!number || *number < low || *number > high) {
    throw bad(key, *value, fmt::format("a whole number from {} to {}", low, high));
  }
  return *number;
}

double ConfigReader::number(std::string_view key, double fallback, double high) const {
  const Json* value = find(key);
  if (value == nullptr) {
    note_default(key, fallback);
    return fallback;
  }
  if (!value->is_number() || !(value->get<double>() >= 0) || value->get<double>() > high) {
    throw bad(key, *value, fmt::format("a number from 0 to {}", high));
  }
  return value->get<double>();
}

bool ConfigReader::flag(std::string_view key, bool fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    note_default(key, fallback);
    return fallback;
  }
  if (!value->is_boolean()) throw bad(key, *value, "true or false");
  return value->get<bool>();
}

std::string ConfigReader::text(std::string_view key, const std::string& fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    note_default(key, fallback);
    return fallback;
  }
  if (!value->is_string()) throw bad(key, *value, "a string");
  return value->get<std::string>();
}

Activation ConfigReader::activation(std::string_view key, const std::string& fallback) const {
  const std::string name = text(key, fallback);
  std::vector<std::string> allowed;
  for (const auto& [known, activation] : kActivationNames) {
    if (known == name) return activation;
    allowed.emplace_back(known);
  }
  throw unknown_value(field(key), name, allowed);
}

std::string_view activation_name(Activation activation) {
  const auto* found = std::find_if(std::begin(kActivationNames), std::end(kActivationNames),
                                   [&](const ActivationName& known) { return known.activation == activation; });
  return found->name;
}

std::vector<double> ConfigReader::numbers(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  const auto is_number = [](const Json& one) { return one.is_number(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_number)) {
    throw bad(key, *value, "a list of numbers");
  }
  return value->get<std::vector<double>>();
}

void ConfigReader::require(std::string_view key, bool computed, std::string_view reason) const {
  if (find(key) == nullptr || flag(key, computed) == computed) return;
  throw unsupported(key, !computed, reason);
}

void ConfigReader::ignore(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) known_.emplace(key);
}

void ConfigReader::note_default(std::string_view key, const Json& value) const {
  if (!has(key)) defaults_[std::string(key)].insert(value);  // null was said
}

Json ConfigReader::taken_defaults() const {
  Json taken = Json::object();
  for (const auto& [key, values] : defaults_) {
    if (values.size() == 1) taken[key] = *values.begin();
  }
  return taken;
}

std::vector<std::string> ConfigReader::unknown_keys() const {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : json_.items()) {
    const bool is_harmless = std::find(std::begin(kHarmless), std::end(kHarmless), key) != std::end(kHarmless);
    if (value.is_null() || is_harmless || key.empty() || key.front() == '_' || known_.count(key) > 0) continue;
    unknown.push_back(key);
  }
  return unknown;
}

Error ConfigReader::bad(std::string_view key, const Json& value, std::string_view expected) const {
  return bad_value(field(key), shown(value), expected);
}

Error ConfigReader::unsupported(std::string_view key, const Json& value, std::string_view reason) const {
  return Error(ErrorKind::kUnsupported, fmt::format("{} '{}' is not supported: {}.", field(key), shown(value), reason));
}

std::string ConfigReader::field(std::string_view key) const {
  return fmt::format("{}: {}", what_, key);
}

}  // namespace transformeter
