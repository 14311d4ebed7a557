// As CrossEncoder of sentence-transformers 6.2.
#include "spec/score_function.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

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

struct Named {
  std::string_view place;
  Json name;
};

// The first that is a class of torch: code of others the original does not run either.
Named named_class(const ModelConfig& config) {
  const Json own = config.source.value("sentence_transformers", Json());
  const Named all[] = {{"config_sentence_transformers.json: activation_fn", config.sentence.score_class},
                       {"config.json: sentence_transformers: activation_fn",
                        own.is_object() ? own.value("activation_fn", Json()) : Json()},
                       {"config.json: sbert_ce_default_activation_function",
                        config.source.value("sbert_ce_default_activation_function", Json())}};
  for (const Named& one : all) {
    if (one.name.is_string() && one.name.get_ref<const std::string&>().starts_with("torch.")) return one;
  }
  return {};
}

}  // namespace

std::optional<ScoreFunction> score_function_of(const ModelConfig& config) {
  if (config.sentence.is_cross_encoder && !config.sentence.prompt.empty()) {
    throw Error(ErrorKind::kUnsupported, "a default prompt of a cross-encoder is not supported.");
  }
  const Named named = named_class(config);
  if (named.place.empty()) return std::nullopt;
  const auto text = named.name.get<std::string>();
  for (const auto& [known, function] : kFunctions) {
    // torch.nn.Sigmoid is the same class by a shorter path.
    if (text == known || text == fmt::format("torch.nn{}", known.substr(known.rfind('.')))) return function;
  }
  throw Error(ErrorKind::kUnsupported, fmt::format("{} '{}' is not supported.", named.place, text));
}

}  // namespace transformeter
