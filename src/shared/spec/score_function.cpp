// As CrossEncoder of sentence-transformers 6.2.
#include "spec/score_function.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "spec/model_config.h"

namespace transformeter {
namespace {

constexpr std::array kFunctions{
    std::pair<std::string_view, ScoreFunction>{"torch.nn.modules.linear.Identity", ScoreFunction::kIdentity},
    std::pair<std::string_view, ScoreFunction>{"torch.nn.modules.activation.Sigmoid", ScoreFunction::kSigmoid},
    std::pair<std::string_view, ScoreFunction>{"torch.nn.modules.activation.Tanh", ScoreFunction::kTanh},
    std::pair<std::string_view, ScoreFunction>{"torch.nn.modules.activation.Softmax", ScoreFunction::kSoftmax},
};

struct NamedFunction {
  std::string_view key;
  std::string name;  // empty: none is named
};

NamedFunction named_function(const ModelConfig& config) {
  if (!config.sentence.score_class.empty()) {
    return {"config_sentence_transformers.json: activation_fn", config.sentence.score_class};
  }
  if (!config.source.is_object()) return {};  // of a compiled file
  const Json own = config.source.value("sentence_transformers", Json());
  const bool is_new = own.is_object() && own.contains("activation_fn");
  const Json name =
      is_new ? own.at("activation_fn") : config.source.value("sbert_ce_default_activation_function", Json());
  const std::string_view key = is_new ? "config.json: sentence_transformers: activation_fn"
                                      : "config.json: sbert_ce_default_activation_function";
  if (!name.is_string() && !name.is_null()) {
    throw bad_value(std::string(key), canonical_json(name), "the name of a class");
  }
  return {key, name.is_string() ? name.get<std::string>() : ""};
}

// Of a cross-encoder that names none, or code of others, which the original does not run either.
std::optional<ScoreFunction> usual_function(const ModelConfig& config) {
  if (!config.sentence.is_cross_encoder) return std::nullopt;
  return config.num_labels == 1 ? ScoreFunction::kSigmoid : ScoreFunction::kIdentity;
}

}  // namespace

std::optional<ScoreFunction> score_function_of(const ModelConfig& config) {
  if (config.sentence.is_cross_encoder && !config.sentence.prompt.empty()) {
    throw Error(ErrorKind::kUnsupported,
                "config_sentence_transformers.json: default_prompt_name is not supported for a cross-encoder; set it "
                "to null.");
  }
  const NamedFunction named = named_function(config);
  if (!named.name.starts_with("torch.")) return usual_function(config);
  std::vector<std::string_view> allowed;
  for (const auto& [known, function] : kFunctions) {
    // torch.nn.Sigmoid is the same class by a shorter path.
    const bool is_short = named.name == fmt::format("torch.nn{}", known.substr(known.rfind('.')));
    if (named.name == known || is_short) return function;
    allowed.push_back(known);
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{} '{}' is not supported; supported: {}.", named.key, named.name, fmt::join(allowed, ", ")));
}

}  // namespace transformeter
