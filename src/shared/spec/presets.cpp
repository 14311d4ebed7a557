// The presets of the built-in architectures.
#include "spec/presets.h"

#include <array>
#include <filesystem>
#include <system_error>

#include "spec/architecture.h"

namespace transformeter {
namespace {

// Without the organisation: a name with a slash is a model on the hub.
constexpr std::array kPresetAliases{
    PresetAlias{"bert-base-uncased", "bert-base"},
    PresetAlias{"bert-large-uncased", "bert-large"},
    PresetAlias{"distilbert-base-uncased", "distilbert-base"},
    PresetAlias{"squeezebert-uncased", "squeezebert"},
    PresetAlias{"albert-base-v2", "albert-base"},
    PresetAlias{"electra-small-discriminator", "electra-small"},
    PresetAlias{"electra-base-discriminator", "electra-base"},
    PresetAlias{"all-mpnet-base-v2", "mpnet-base"},
    PresetAlias{"t5-v1_1-small", "flan-t5-small"},
    PresetAlias{"t5-v1_1-base", "flan-t5-base"},
    PresetAlias{"SmolLM2-135M", "smollm2-135m"},
    PresetAlias{"Llama-3.2-1B", "llama-3.2-1b"},
    PresetAlias{"Qwen2.5-0.5B", "qwen2.5-0.5b"},
    PresetAlias{"Qwen2.5-1.5B", "qwen2.5-1.5b"},
    PresetAlias{"Qwen3-0.6B", "qwen3-0.6b"},
    PresetAlias{"Mistral-7B-v0.1", "mistral-7b"},
    PresetAlias{"gemma-3-270m-it", "gemma-3-270m"},
    PresetAlias{"gemma-3-1b-it", "gemma-3-1b"},
    PresetAlias{"Phi-3-mini-4k-instruct", "phi-3-mini"},
    PresetAlias{"vit-base-patch16-224", "vit-base"},
    PresetAlias{"deit-base-distilled-patch16-224", "deit-base"},
    PresetAlias{"deit-small-distilled-patch16-224", "deit-small"},
    PresetAlias{"clip-vit-base-patch32", "clip-base"},
    PresetAlias{"clip-vit-large-patch14", "clip-large"},
    PresetAlias{"siglip-base-patch16-224", "siglip-base"},
    PresetAlias{"wav2vec2-base-960h", "wav2vec2-base"},
    PresetAlias{"wav2vec2-large-960h", "wav2vec2-large"},
    PresetAlias{"wav2vec2-large-960h-lv60", "wav2vec2-large-lv60"},
    PresetAlias{"hubert-base-ls960", "hubert-base"},
};

}  // namespace

std::vector<std::string> preset_names() {
  return builtin_architectures().preset_names();
}

ModelConfig preset(std::string_view name) {
  return builtin_architectures().preset(name);
}

bool is_preset(std::string_view name) {
  return builtin_architectures().has_preset(name);
}

std::span<const PresetAlias> preset_aliases() {
  return kPresetAliases;
}

std::string typed_preset(const std::string& model) {
  std::error_code code;
  for (const PresetAlias& known : kPresetAliases) {
    if (known.alias == model && !std::filesystem::exists(model, code)) return std::string(known.preset);
  }
  return model;
}

}  // namespace transformeter
