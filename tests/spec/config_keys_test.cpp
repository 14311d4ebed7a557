// Every key of config.json that the original reads is obeyed or refused; config_keys.json lists them.
#include <set>
#include <string>
#include <utility>

#include "base/files.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

// What has no effect on answers: training alone, the way and not the result of computing, or a task that is none here.
const std::set<std::string> kNoneOfOurs{
    "chunk_size_feed_forward",
    "classifier_dropout",
    "encoder_stride",
    "hidden_dropout",
    "initializer_factor",
    "initializer_range",
    "layerdrop",
    "logit_scale_init_value",
    "output_attentions",
    "output_hidden_states",
    "pooler_act",
    "pooler_output_size",
    "problem_type",
    "qa_dropout",
    "return_dict",
    "summary_activation",
    "summary_first_dropout",
    "reorder_and_upcast_attn",
    "summary_last_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "use_cache",
    "sinusoidal_pos_embds",
    // Of speech models: what training leaves out, pretraining and heads that are no task here.
    "adapter_kernel_size",
    "adapter_stride",
    "apply_spec_augment",
    "codevector_dim",
    "contrastive_logits_temperature",
    "diversity_loss_weight",
    "feat_quantizer_dropout",
    "mask_feature_length",
    "mask_feature_min_masks",
    "mask_feature_prob",
    "mask_time_length",
    "mask_time_min_masks",
    "mask_time_prob",
    "num_adapter_layers",
    "num_codevector_groups",
    "num_codevectors_per_group",
    "num_feat_extract_layers",
    "output_hidden_size",
    "proj_codevector_dim",
    "tdnn_dilation",
    "tdnn_dim",
    "tdnn_kernel",
    "xvector_output_dim",
};

// What only files that all models share read, for families that call no such part: encoders have no cache, and GPT-2
// and OPT a classifier of tokens of their own, or none.
const std::set<std::string> kOfDecoders{"is_causal",   "sliding_window",   "attention_chunk_size",
                                        "layer_types", "kv_sharing_modes", "token_classification_bias"};
const std::set<std::string> kEncoders{"bert",
                                      "roberta",
                                      "xlm-roberta",
                                      "camembert",
                                      "distilbert",
                                      "squeezebert",
                                      "albert",
                                      "electra",
                                      "mpnet",
                                      "vit",
                                      "deit",
                                      "clip",
                                      "clip_vision_model",
                                      "wav2vec2",
                                      "hubert",
                                      "siglip",
                                      "siglip_vision_model"};
const std::set<std::pair<std::string, std::string>> kNotThere{{"bert", "embedding_size"},
                                                              {"roberta", "embedding_size"},
                                                              {"xlm-roberta", "embedding_size"},
                                                              {"camembert", "embedding_size"},
                                                              {"mpnet", "embedding_size"},
                                                              {"clip", "hidden_size"},  // of its towers
                                                              {"clip", "num_hidden_layers"},
                                                              {"clip_text_model", "token_classification_bias"},
                                                              {"siglip", "hidden_size"},
                                                              {"siglip", "num_hidden_layers"},
                                                              {"siglip_text_model", "token_classification_bias"},
                                                              {"t5", "token_classification_bias"},
                                                              {"mt5", "token_classification_bias"},
                                                              {"opt", "token_classification_bias"},
                                                              {"gpt2", "token_classification_bias"},
                                                              {"gemma3_text", "token_classification_bias"}};

const std::set<std::string> kWithoutWindows{"gpt2",
                                            "opt",
                                            "llama",
                                            "t5",
                                            "mt5",
                                            "clip",
                                            "clip_text_model",
                                            "clip_vision_model",
                                            "wav2vec2",
                                            "hubert",
                                            "siglip",
                                            "siglip_text_model",
                                            "siglip_vision_model"};

bool is_read(const std::string& family, const std::string& key) {
  if (kNoneOfOurs.count(key) > 0 || kNotThere.count({family, key}) > 0) return false;
  return kEncoders.count(family) == 0 || kOfDecoders.count(key) == 0;
}

Json keys_of_original() {
  return parse_json("config_keys.json", read_file(models_folder() / "config_keys.json")).at("families");
}

TEST(ConfigKeys, ThatTheOriginalReadsAreObeyedOrRefused) {
  const Json families = keys_of_original();
  for (const auto& [family, keys] : families.items()) {
    for (const std::string key : keys.at("reads")) {
      if (!is_read(family, key)) continue;
      Json config{{"model_type", family}, {"use_sliding_window", true}, {"sliding_window", 4}};
      if (kWithoutWindows.count(family) > 0) config = {{"model_type", family}};
      config[key] = {"not", "a", "value"};
      EXPECT_THROW(parse_model_config(config), Error) << family << ": " << key << " is ignored in silence";
    }
  }
}

}  // namespace
}  // namespace transformeter
