// Keys and their defaults as in sentence-transformers 6.2 (base/modules, sentence_transformer/modules).
#include "spec/sentence_settings.h"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "spec/config_reader.h"

namespace transformeter {

namespace {

namespace fs = std::filesystem;

struct PoolingName {
  Selection selection;
  std::string_view name;  // as users write it
  std::string_view mode;  // in newer files, the value of pooling_mode
  std::string_view flag;  // in older ones
};

// In the order in which several are put side by side where flags name them.
constexpr std::array kPoolings{
    PoolingName{Selection::kFirst, "cls", "cls", "pooling_mode_cls_token"},
    PoolingName{Selection::kMax, "max", "max", "pooling_mode_max_tokens"},
    PoolingName{Selection::kMean, "mean", "mean", "pooling_mode_mean_tokens"},
    PoolingName{Selection::kMeanOverRoot, "mean_sqrt_len", "mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
    PoolingName{Selection::kWeightedMean, "weightedmean", "weightedmean", "pooling_mode_weightedmean_tokens"},
    PoolingName{Selection::kLast, "last", "lasttoken", "pooling_mode_lasttoken"},
};

// Names of Python classes that a Dense module's file may give.
constexpr std::array kDenseActivations{
    std::pair<std::string_view, Activation>{"torch.nn.modules.activation.Tanh", Activation::kTanh},
    std::pair<std::string_view, Activation>{"torch.nn.modules.linear.Identity", Activation::kLinear},
    std::pair<std::string_view, Activation>{"torch.nn.modules.activation.ReLU", Activation::kRelu},
    std::pair<std::string_view, Activation>{"torch.nn.modules.activation.GELU", Activation::kGelu},
    std::pair<std::string_view, Activation>{"torch.nn.modules.activation.SiLU", Activation::kSilu},
    std::pair<std::string_view, Activation>{"torch.nn.modules.activation.Sigmoid", Activation::kSigmoid},
};

constexpr std::string_view kTextFiles[] = {
    "sentence_bert_config.json",      "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",  "sentence_xlm-roberta_config.json",
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Json read_json(const fs::path& path) {
  return parse_json(path.string(), read_file(path));
}

std::vector<Selection> poolings_of(const ConfigReader& reader) {
  std::vector<Selection> poolings;
  if (const Json* modes = reader.find("pooling_mode")) {
    for (const Json& mode : modes->is_array() ? *modes : Json::array({*modes})) {
      std::vector<std::string> allowed;
      for (const PoolingName& one : kPoolings) {
        if (mode == one.mode) poolings.push_back(one.selection);
        allowed.emplace_back(one.mode);
      }
      if (poolings.empty()) throw unknown_value(reader.field("pooling_mode"), mode.dump(), allowed);
    }
    if (poolings.empty()) throw reader.bad("pooling_mode", *modes, "one pooling or more");
    return poolings;
  }
  for (const PoolingName& one : kPoolings) {
    if (reader.flag(one.flag, false)) poolings.push_back(one.selection);
  }
  return poolings.empty() ? std::vector{Selection::kMean} : poolings;
}

// Modules of one folder, read in the order in which texts go through them.
class Modules {
 public:
  explicit Modules(fs::path folder) : folder_(std::move(folder)), file_(folder_ / "modules.json") {}

  SentenceSettings read() {
    const Json modules = read_json(file_);
    if (!modules.is_array()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} does not contain a list of modules.", file_.string()));
    }
    read_prompts();
    read_texts();
    for (const Json& module : modules) add(ConfigReader(module, file_.string()));
    return std::move(settings_);
  }

 private:
  void refuse(const std::string& why) {
    if (settings_.refusal.empty()) settings_.refusal = why;
  }

  void add(const ConfigReader& module) {
    const std::string type = module.text("type", "");
    if (type.empty()) throw Error(ErrorKind::kBadInput, fmt::format("{}: a module has no 'type'.", file_.string()));
    const std::string name = type.substr(type.rfind('.') + 1);
    const bool is_last = settings_.is_normalized;
    if (name == "Transformer") {
      // Its files are the folder's own.
    } else if (name == "Pooling" && !is_last && !settings_.dense) {
      read_pooling(module);
    } else if (name == "Dense" && !is_last && !settings_.dense) {
      read_dense(module);
    } else if (name == "Normalize") {
      settings_.is_normalized = true;
    } else if (name != "Dropout") {
      refuse(
          fmt::format("{}: module '{}' is not supported {}; supported: Transformer, Pooling, at most one Dense, and "
                      "Normalize, in this order",
                      file_.string(), type, name == "Pooling" || name == "Dense" ? "at this place" : "at all"));
    }
  }

  // The config.json of a module; a folder beside the file.
  std::pair<Json, fs::path> config_of(const ConfigReader& module) const {
    const std::string path = module.text("path", "");
    if (path.empty() || fs::path(path).filename() != path) {
      throw bad_value(module.field("path"), path, "the name of a folder next to it");
    }
    const fs::path file = folder_ / path / "config.json";
    return {read_json(file), file};
  }

  void read_pooling(const ConfigReader& module) {
    const auto [json, file] = config_of(module);
    const ConfigReader reader(json, file.string());
    settings_.poolings = poolings_of(reader);
    if (!reader.flag("include_prompt", true) && !settings_.prompt.empty()) {
      refuse(fmt::format("{}: include_prompt 'false' is not supported with a default prompt", file.string()));
    }
  }

  void read_dense(const ConfigReader& module) {
    const auto [json, file] = config_of(module);
    const ConfigReader reader(json, file.string());
    const std::int64_t in = reader.integer("in_features", 0, 1, kMaxWidth);
    const std::int64_t out = reader.integer("out_features", 0, 1, kMaxWidth);
    if (in == 0 || out == 0) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} needs in_features and out_features.", file.string()));
    }
    settings_.dense = linear_spec(module.text("path", "") + ".linear", in, out, reader.flag("bias", true));
    settings_.activation = dense_activation(reader);
    for (const auto& [key, usual] : {std::pair<const char*, Json>{"use_residual", false},
                                     {"module_input_name", "sentence_embedding"},
                                     {"module_output_name", "sentence_embedding"}}) {
      const Json* value = reader.find(key);
      if (value != nullptr && *value != usual) {
        refuse(fmt::format("{} '{}' is not supported", reader.field(key), value->dump()));
      }
    }
  }

  Activation dense_activation(const ConfigReader& reader) {
    const std::string name = reader.text("activation_function", "torch.nn.modules.activation.Tanh");
    for (const auto& [known, activation] : kDenseActivations) {
      if (name == known) return activation;
    }
    // What does not begin with torch. is code of the folder's own, which the original does not trust: Tanh then.
    if (name.starts_with("torch."))
      refuse(fmt::format("{} '{}' is not supported", reader.field("activation_function"), name));
    return Activation::kTanh;
  }

  void read_prompts() {
    const fs::path file = folder_ / "config_sentence_transformers.json";
    if (!is_file(file)) return;
    const Json json = read_json(file);
    const ConfigReader reader(json, file.string());
    const std::string type = reader.text("model_type", "SentenceTransformer");
    if (type != "SentenceTransformer")
      refuse(fmt::format("{} '{}' is not supported", reader.field("model_type"), type));
    const Json* name = reader.find("default_prompt_name");
    if (name == nullptr) return;
    const Json* prompts = reader.find("prompts");
    const Json prompt = prompts != nullptr && prompts->is_object() && name->is_string()
                            ? prompts->value(name->get<std::string>(), Json())
                            : Json();
    if (!prompt.is_string()) {
      throw bad_value(reader.field("default_prompt_name"), name->dump(), "the name of one of its prompts");
    }
    settings_.prompt = prompt.get<std::string>();
  }

  void read_texts() {
    for (const std::string_view name : kTextFiles) {
      const fs::path file = folder_ / name;
      if (!is_file(file)) continue;
      const Json json = read_json(file);
      const ConfigReader reader(json, file.string());
      settings_.lowercases = reader.flag("do_lower_case", false);
      if (reader.find("max_seq_length") != nullptr) {
        settings_.max_length = reader.integer("max_seq_length", 0, 1, kMaxPositions);
      }
      const std::string task = reader.text("transformer_task", "feature-extraction");
      if (task != "feature-extraction") {
        refuse(fmt::format("{} '{}' is not supported", reader.field("transformer_task"), task));
      }
      return;
    }
  }

  fs::path folder_;
  fs::path file_;
  SentenceSettings settings_;
};

}  // namespace

SentenceSettings read_sentence_settings(const fs::path& folder) {
  return is_file(folder / "modules.json") ? Modules(folder).read() : SentenceSettings{};
}

fs::path dense_weights(const fs::path& folder, const SentenceSettings& settings) {
  if (!settings.dense) return {};
  const std::string& tensor = settings.dense->weight;
  return folder / tensor.substr(0, tensor.find('.')) / "model.safetensors";
}

Selection pooling_from_name(std::string_view name) {
  std::vector<std::string> allowed;
  for (const PoolingName& one : kPoolings) {
    if (one.name == name) return one.selection;
    allowed.emplace_back(one.name);
  }
  throw unknown_value("pooling", name, allowed);
}

std::string pooling_name(const std::vector<Selection>& poolings) {
  std::vector<std::string_view> names;
  for (const Selection pooling : poolings) {
    for (const PoolingName& one : kPoolings) {
      if (one.selection == pooling) names.push_back(one.name);
    }
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace transformeter
