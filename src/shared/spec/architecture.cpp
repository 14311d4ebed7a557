// The registry, and drawing a blueprint from a configuration.
#include "spec/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace transformeter {

LinearSpec linear_spec(const std::string& prefix, std::int64_t in, std::int64_t out, bool has_bias) {
  LinearSpec spec;
  spec.weight = prefix + ".weight";
  if (has_bias) spec.bias = prefix + ".bias";
  spec.in = in;
  spec.out = out;
  return spec;
}

std::string Architecture::class_name(HeadKind head) const {
  static const std::map<HeadKind, std::string> kSuffixes = {
      {HeadKind::kSequenceClasses, "ForSequenceClassification"},
      {HeadKind::kTokenClasses, "ForTokenClassification"},
      {HeadKind::kSpan, "ForQuestionAnswering"},
      {HeadKind::kMaskedTokens, "ForMaskedLM"},
      {HeadKind::kImageFeatures, "Model"},
      {HeadKind::kSimilarities, "Model"},
      {HeadKind::kNone, "Model"},
      {HeadKind::kNextToken, "ForCausalLM"},
      {HeadKind::kTargetTokens, "ForConditionalGeneration"},
      {HeadKind::kImageClasses, "ForImageClassification"},
      {HeadKind::kFrameTokens, "ForCTC"},
      {HeadKind::kAudioClasses, "ForSequenceClassification"},
      {HeadKind::kAudioFeatures, "Model"},
      {HeadKind::kPairs, "Model"},
  };
  const bool has_own = head == HeadKind::kNextToken && !causal_lm_class.empty();
  return has_own ? causal_lm_class : class_prefix + kSuffixes.at(head);
}

void Architectures::add(Architecture architecture) {
  architectures_.push_back(std::make_shared<const Architecture>(std::move(architecture)));
}

std::shared_ptr<const Architecture> Architectures::find(std::string_view family) const {
  for (const auto& architecture : architectures_) {
    if (architecture->family == family) return architecture;
  }
  return nullptr;
}

std::vector<std::string> Architectures::families() const {
  std::vector<std::string> names;
  for (const auto& architecture : architectures_) names.push_back(architecture->family);
  return names;
}

std::vector<std::string> Architectures::preset_names() const {
  std::vector<std::string> names;
  for (const auto& architecture : architectures_) {
    for (const Preset& preset : architecture->presets) names.push_back(preset.name);
  }
  return names;
}

bool Architectures::has_preset(std::string_view name) const {
  const std::vector<std::string> names = preset_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

ModelConfig Architectures::preset(std::string_view name) const {
  for (const auto& architecture : architectures_) {
    for (const Preset& preset : architecture->presets) {
      if (preset.name != name) continue;
      Json json = preset.config;
      json["model_type"] = architecture->family;
      return parse_model_config(json, fmt::format("preset {}", name), *this);
    }
  }
  throw unknown_value("preset", name, preset_names());
}

void register_builtin_architectures(Architectures& architectures) {
  const auto add = [&](Architecture architecture) {
    if (!architecture.refused_keys) architecture.refused_keys.emplace();  // each is a copy of an original
    architectures.add(std::move(architecture));
  };
  add(bert_architecture());
  add(distilbert_architecture());
  add(roberta_architecture("roberta", "Roberta"));
  add(roberta_architecture("xlm-roberta", "XLMRoberta"));
  add(roberta_architecture("camembert", "Camembert"));
  add(squeezebert_architecture());
  add(albert_architecture());
  add(electra_architecture());
  add(mpnet_architecture());
  add(t5_architecture());
  add(mt5_architecture());
  add(gpt2_architecture());
  add(opt_architecture());
  add(llama_architecture());
  add(qwen2_architecture());
  add(qwen3_architecture());
  add(mistral_architecture());
  add(gemma3_architecture());
  add(phi3_architecture());
  add(vit_architecture());
  add(deit_architecture());
  add(clip_architecture());
  add(clip_text_architecture());
  add(clip_vision_architecture());
  add(siglip_architecture());
  add(siglip_text_architecture());
  add(siglip_vision_architecture());
  add(wav2vec2_architecture());
  add(hubert_architecture());
}

const Architectures& builtin_architectures() {
  static const Architectures kArchitectures = [] {
    Architectures architectures;
    register_builtin_architectures(architectures);
    return architectures;
  }();
  return kArchitectures;
}

std::vector<Task> tasks_of(const Architecture& architecture) {
  std::vector<Task> tasks;
  for (const HeadKind head : architecture.heads) {
    for (const TaskName& known : kTaskNames) {
      if (known.head == head) tasks.push_back(known.task);
    }
  }
  return tasks;
}

bool reads(const Architecture& architecture, Modality modality) {
  const std::vector<Task> tasks = tasks_of(architecture);
  return std::any_of(tasks.begin(), tasks.end(), [&](Task task) { return modality_of(task) == modality; });
}

bool has_two_towers(const Architecture& architecture) {
  return reads(architecture, Modality::kText) && reads(architecture, Modality::kImage);
}

Task base_task(const Architecture& architecture) {
  if (reads(architecture, Modality::kAudio)) return Task::kAudioEmbedding;
  return reads(architecture, Modality::kImage) ? Task::kImageEmbedding : Task::kEmbedding;
}

void check_task(const ModelConfig& config, Task task) {
  const std::vector<Task> tasks = tasks_of(*config.architecture);
  if (std::find(tasks.begin(), tasks.end(), task) != tasks.end()) return;
  std::vector<std::string_view> available;
  for (const Task possible : tasks) available.push_back(name_of(possible));
  throw Error(ErrorKind::kUnsupported, fmt::format("task '{}' is not available for family '{}'; available: {}.",
                                                   name_of(task), config.family(), fmt::join(available, ", ")));
}

void check_pooling(const ModelConfig& config, std::string_view pooling) {
  if (pooling.empty() || !config.architecture->pools_itself) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("pooling {}: family '{}' makes a text's vector in one way alone; leave --pooling out",
                          pooling, config.family()));
}

namespace {

// As the files beside config.json say.
void apply(const SentenceSettings& sentence, std::int64_t width, HeadSpec& head) {
  const auto pooled = width * static_cast<std::int64_t>(sentence.poolings.size());
  if (sentence.dense && sentence.dense->in != pooled) {
    throw bad_value("the Dense module's in_features", std::to_string(sentence.dense->in),
                    fmt::format("{}, the width of the pooled vectors", pooled));
  }
  head.selection = sentence.poolings.front();
  head.beside = {sentence.poolings.begin() + 1, sentence.poolings.end()};
  head.dense = sentence.dense;
  head.activation = sentence.activation;
  head.normalized = sentence.is_normalized;
}

}  // namespace

Blueprint draw_blueprint(const ModelConfig& config, Task task) {
  check_task(config, task);
  if (!config.architecture->draw) {
    throw Error(ErrorKind::kUnsupported, fmt::format("no formula for family '{}'", config.family()));
  }
  Blueprint blueprint = config.architecture->draw(ConfigReader(config.source, config.family()), config, head_of(task));
  if (task == Task::kEmbedding && !config.architecture->pools_itself) {
    apply(config.sentence, blueprint.final_projection ? blueprint.final_projection->out : config.hidden_size,
          blueprint.head);
  }
  return blueprint;
}

}  // namespace transformeter
