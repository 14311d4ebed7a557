// What a family of models is known by: how its config.json is read, what it is made of with each head, and its presets.
// A new architecture is one file that fills this struct, and one line in register_builtin_architectures; it needs a
// module of its own only when its layers are not those of blueprint.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/task.h"
#include "spec/blueprint.h"
#include "spec/config_reader.h"
#include "spec/model_config.h"
#include "spec/tensor_spec.h"

namespace transformeter {

struct Preset {
  std::string name;
  Json config;  // config.json without model_type
};

struct Architecture {
  std::string family;                      // model_type in config.json
  std::string class_prefix;                // of Transformers' classes: "Bert"
  std::vector<std::string> base_prefixes;  // of the base model's tensors, the usual one first: "bert."
  std::vector<HeadKind> heads;             // that the family has, the usual one first
  /// Fills what ModelConfig declares beyond labels and classes.
  std::function<void(const ConfigReader&, ModelConfig&)> read;
  /// `kind` is one of `heads`. Reads the keys that only this family has. Empty for a family whose layers are not those
  /// of blueprint.h.
  std::function<Blueprint(const ConfigReader&, const ModelConfig&, HeadKind kind)> draw;
  /// The parameters of such a family, which its own module reads; no formula is known for it then.
  std::function<std::vector<TensorSpec>(const ConfigReader&, const ModelConfig&, HeadKind kind)> inventory;
  /// Beginnings of names, without the base prefix, of tensors that checkpoints hold and no task here reads.
  std::vector<std::string> ignored_tensors;
  std::vector<std::string> ignored_endings;  // and ends of names: buffers that older versions stored
  /// By a parameter's name: other names under which checkpoints hold it, beside its own or instead of it.
  std::map<std::string, std::vector<std::string>> copies;
  /// The dense layer on the first token that published parameter counts hold, though not every task reads it.
  std::function<LinearSpec(const ModelConfig&)> pooler;
  /// Other parameters that published counts hold and no task here reads.
  std::function<std::vector<TensorSpec>(const ModelConfig&)> unread_parameters;
  /// Keys of config.json that the original reads: refused unless asked for here. Others that nothing here asks for are
  /// harmless. Nothing: the family is no copy of an original, and any key that nothing asks for is refused.
  std::optional<std::vector<std::string>> refused_keys;
  std::vector<Preset> presets;
  std::string causal_lm_class;    // whole; empty: the prefix and ForCausalLM
  bool may_have_decoder = false;  // config.json may say is_encoder_decoder
  bool pools_itself = false;      // the task embedding knows one way alone, which is the family's own
  std::string span_prefix;        // of the base model in Transformers' class for question answering; empty: the usual

  /// The class of the head.
  std::string class_name(HeadKind head) const;
};

/// Architectures by family.
class Architectures {
 public:
  void add(Architecture architecture);
  /// Null for a family that is not there.
  std::shared_ptr<const Architecture> find(std::string_view family) const;
  std::vector<std::string> families() const;

  /// Presets of all families, in the order of their registration.
  std::vector<std::string> preset_names() const;
  bool has_preset(std::string_view name) const;
  /// Throws Error(kBadInput) that lists the presets and names the nearest.
  ModelConfig preset(std::string_view name) const;

 private:
  std::vector<std::shared_ptr<const Architecture>> architectures_;
};

void register_builtin_architectures(Architectures& architectures);
/// A registry that holds them.
const Architectures& builtin_architectures();

/// What can be asked of the family's models, in the order of its heads.
std::vector<Task> tasks_of(const Architecture& architecture);
/// Whether any of them is of texts, of images, or of sounds.
bool reads(const Architecture& architecture, Modality modality);
/// Whether it reads both, with parameters of its own for each.
bool has_two_towers(const Architecture& architecture);
/// That of a model without a head: embedding, of images or sounds where the family reads any.
Task base_task(const Architecture& architecture);

/// Throws Error(kUnsupported) for a task that the family has no head for.
void check_task(const ModelConfig& config, Task task);

/// Throws Error(kUnsupported) where the family pools in a way of its own and `pooling`, as a user asks for it, is not
/// empty.
void check_pooling(const ModelConfig& config, std::string_view pooling);

/// What the model is made of for `task`. Throws like check_task, and Error(kUnsupported) for a family without
/// blueprints.
Blueprint draw_blueprint(const ModelConfig& config, Task task);

// The built-in families, one file each.
Architecture bert_architecture();
Architecture roberta_architecture(const std::string& model_type, const std::string& class_prefix);
Architecture distilbert_architecture();
Architecture squeezebert_architecture();
Architecture albert_architecture();
Architecture electra_architecture();
Architecture mpnet_architecture();
Architecture t5_architecture();
Architecture mt5_architecture();
Architecture gpt2_architecture();
Architecture opt_architecture();
Architecture llama_architecture();
Architecture qwen2_architecture();
Architecture qwen3_architecture();
Architecture mistral_architecture();
Architecture gemma3_architecture();
Architecture phi3_architecture();
Architecture vit_architecture();
Architecture deit_architecture();
Architecture clip_architecture();
Architecture clip_text_architecture();
Architecture clip_vision_architecture();
Architecture siglip_architecture();
Architecture siglip_text_architecture();
Architecture siglip_vision_architecture();
Architecture wav2vec2_architecture();
Architecture hubert_architecture();

}  // namespace transformeter
