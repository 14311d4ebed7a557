// Keys and their defaults as in sentence-transformers 6.2 (base/modules, sentence_transformer/modules).
#include "spec/sentence_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
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

Selection pooling_of_mode(const ConfigReader& reader, const Json& mode) {
  std::vector<std::string> allowed;
  for (const PoolingName& one : kPoolings) {
    if (mode == one.mode) return one.selection;
    allowed.emplace_back(one.mode);
  }
  throw unknown_value(reader.field("pooling_mode"), mode.is_string() ? mode.get<std::string>() : mode.dump(), allowed);
}

std::vector<Selection> poolings_of(const ConfigReader& reader) {
  std::vector<Selection> poolings;
  if (const Json* modes = reader.find("pooling_mode")) {
    for (const Json& mode : modes->is_array() ? *modes : Json::array({*modes})) {
      poolings.push_back(pooling_of_mode(reader, mode));
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
    if (modules.empty()) {
      throw Error(
          ErrorKind::kBadInput,
          fmt::format("{} lists no modules; list a Transformer and a Pooling, or remove the file for mean pooling",
                      file_.string()));
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

  // The module's folder, beside the file.
  std::string folder_of(const ConfigReader& module) const {
    std::string path = module.text("path", "");
    if (path.empty() || fs::path(path).filename() != path) {
      throw bad_value(module.field("path"), path, "the name of a folder next to it");
    }
    return path;
  }

  // A file of the folder, which the settings depend on from now on.
  Json read_part(const std::string& name) {
    settings_.files.push_back(name);
    return read_json(folder_ / name);
  }

  void read_pooling(const ConfigReader& module) {
    const std::string name = folder_of(module) + "/config.json";
    const Json json = read_part(name);
    const ConfigReader reader(json, (folder_ / name).string());
    settings_.poolings = poolings_of(reader);
    if (!reader.flag("include_prompt", true) && !settings_.prompt.empty()) {
      refuse(fmt::format("{} 'false' is not supported with a default prompt", reader.field("include_prompt")));
    }
  }

  void read_dense(const ConfigReader& module) {
    settings_.dense_folder = folder_of(module);
    const std::string name = settings_.dense_folder + "/config.json";
    const Json json = read_part(name);
    const ConfigReader reader(json, (folder_ / name).string());
    const std::int64_t in = reader.integer("in_features", 0, 1, kMaxWidth);
    const std::int64_t out = reader.integer("out_features", 0, 1, kMaxWidth);
    if (in == 0 || out == 0) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} needs in_features and out_features.", reader.what()));
    }
    settings_.dense = linear_spec(settings_.dense_folder + ".linear", in, out, reader.flag("bias", true));
    settings_.activation = dense_activation(reader);
    refuse_unless(reader, {{"use_residual", false},
                           {"module_input_name", "sentence_embedding"},
                           {"module_output_name", "sentence_embedding"}});
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
    const std::string file = "config_sentence_transformers.json";
    if (!is_file(folder_ / file)) return;
    const Json json = read_part(file);
    const ConfigReader reader(json, (folder_ / file).string());
    refuse_unless(reader, {{"model_type", "SentenceTransformer"}});
    settings_.is_cross_encoder = reader.text("model_type", "") == "CrossEncoder";
    if (settings_.is_cross_encoder) settings_.score_class = reader.text("activation_fn", "");
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
    const auto file = std::find_if(std::begin(kTextFiles), std::end(kTextFiles),
                                   [&](std::string_view name) { return is_file(folder_ / name); });
    if (file == std::end(kTextFiles)) return;
    const Json json = read_part(std::string(*file));
    const ConfigReader reader(json, (folder_ / *file).string());
    settings_.lowercases = reader.flag("do_lower_case", false);
    if (reader.find("max_seq_length") != nullptr) {
      settings_.max_length = reader.integer("max_seq_length", 0, 1, kMaxPositions);
    }
    const Json none = Json::object();
    const Json modality = {{"text", {{"method", "forward"}, {"method_output_name", "last_hidden_state"}}}};
    refuse_unless(reader, {{"transformer_task", "feature-extraction"},
                           {"module_output_name", "token_embeddings"},
                           {"modality_config", modality},
                           {"model_args", none},
                           {"model_kwargs", none},
                           {"tokenizer_args", none},
                           {"processor_kwargs", none},
                           {"config_args", none},
                           {"config_kwargs", none},
                           {"processing_kwargs", none},
                           {"query_length", nullptr},
                           {"document_length", nullptr},
                           {"query_expansion", nullptr},
                           {"tokenizer_name_or_path", nullptr}});
  }

  // Keys with another value than the usual one change texts or vectors in a way that is not computed here.
  void refuse_unless(const ConfigReader& reader, const std::vector<std::pair<const char*, Json>>& usual) {
    for (const auto& [key, value] : usual) {
      const Json* found = reader.find(key);
      if (found == nullptr || *found == value) continue;
      const std::string shown = found->is_string() ? found->get<std::string>() : found->dump();
      refuse(fmt::format("{} '{}' is not supported", reader.field(key), shown));
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
  return settings.dense ? folder / settings.dense_folder / "model.safetensors" : fs::path();
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
