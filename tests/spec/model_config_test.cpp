// config.json of both families: key names, defaults, and what must be refused.
#include "spec/model_config.h"

#include "base/files.h"
#include "schema/case.h"
#include "spec/architecture.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Json bert(const Json& more = Json::object()) {
  Json json = {{"model_type", "bert"}};
  json.update(more);
  return json;
}

TEST(ParseModelConfig, ReadsBertsOwnKeys) {
  const ModelConfig config = parse_model_config(bert({{"vocab_size", 107},
                                                      {"hidden_size", 32},
                                                      {"num_hidden_layers", 3},
                                                      {"num_attention_heads", 4},
                                                      {"intermediate_size", 48},
                                                      {"max_position_embeddings", 40},
                                                      {"type_vocab_size", 5},
                                                      {"layer_norm_eps", 1e-5},
                                                      {"hidden_act", "relu"},
                                                      {"hidden_dropout_prob", 0.25},
                                                      {"pad_token_id", 7},
                                                      {"architectures", {"BertForMaskedLM"}},
                                                      {"id2label", {{"0", "no"}, {"2", "so"}, {"1", "yes"}}}}));
  EXPECT_EQ(config.family(), "bert");
  EXPECT_EQ(config.vocab_size, 107);
  EXPECT_EQ(config.hidden_size, 32);
  EXPECT_EQ(config.num_layers, 3);
  EXPECT_EQ(config.num_heads, 4);
  EXPECT_EQ(config.max_length, 40);
  const Blueprint blueprint = draw_blueprint(config, Task::kSequenceClassification);
  EXPECT_EQ(blueprint.embedding.type_rows, 5);
  ASSERT_EQ(blueprint.layers.size(), 3u);
  const LayerSpec& layer = blueprint.layers.front();
  EXPECT_EQ(layer.attention.head_dim, 8);
  EXPECT_EQ(layer.feed_forward.in.out, 48);
  EXPECT_EQ(layer.attention_norm.epsilon, 1e-5);
  EXPECT_EQ(layer.feed_forward.activation, Activation::kRelu);
  EXPECT_EQ(config.pad_token_id, 7);
  EXPECT_EQ(config.num_labels, 3);
  EXPECT_THAT(config.labels, testing::ElementsAre("no", "yes", "so"));
  EXPECT_EQ(blueprint.head.dropout, 0.25) << "null or missing means hidden_dropout_prob";
  EXPECT_EQ(blueprint.head.dense->weight, "bert.pooler.dense.weight");
  EXPECT_EQ(task_of(config), Task::kMaskedLm);
}

TEST(ParseModelConfig, HeadsDropWhereTheOriginalDoes) {
  for (const char* family : {"bert", "roberta", "distilbert", "squeezebert", "albert", "electra", "mpnet"}) {
    SCOPED_TRACE(family);
    const ModelConfig config = parse_model_config({{"model_type", family}});
    const auto dropout = [&](Task task) { return draw_blueprint(config, task).head.dropout; };
    EXPECT_GT(dropout(Task::kSequenceClassification), 0);
    EXPECT_GT(dropout(Task::kTokenClassification), 0);
    EXPECT_EQ(dropout(Task::kMaskedLm), 0);
    EXPECT_EQ(dropout(Task::kEmbedding), 0);
    EXPECT_EQ(dropout(Task::kQuestionAnswering), family == std::string_view("distilbert") ? 0.1 : 0);
  }
}

TEST(ParseModelConfig, MissingKeysHaveTheFamilysOwnDefaults) {
  const auto parsed = [](const char* family, Json more = Json::object()) {
    more["model_type"] = family;
    return parse_model_config(more);
  };
  EXPECT_EQ(parsed("albert").hidden_size, 4096);
  EXPECT_EQ(parsed("albert").num_heads, 64);
  EXPECT_EQ(draw_blueprint(parsed("albert"), Task::kEmbedding).layers.front().feed_forward.in.out, 16384);
  EXPECT_EQ(parsed("electra").hidden_size, 256);
  EXPECT_EQ(parsed("opt").pad_token_id, 1);
  EXPECT_EQ(parsed("opt", {{"pad_token_id", nullptr}}).pad_token_id, std::nullopt) << "none was said";
  EXPECT_EQ(parsed("camembert").vocab_size, 30522);
  EXPECT_EQ(parsed("roberta").vocab_size, 50265);
  const auto key_value_heads = [](const ModelConfig& config) {
    return draw_blueprint(config, Task::kEmbedding).layers.front().attention.key_value_heads;
  };
  EXPECT_EQ(key_value_heads(parsed("mistral")), 8);
  EXPECT_EQ(key_value_heads(parsed("qwen2", {{"num_attention_heads", 64}})), 32);
  EXPECT_EQ(key_value_heads(parsed("llama", {{"num_attention_heads", 16}})), 16) << "as many as heads";
  EXPECT_EQ(key_value_heads(parsed("mistral", {{"num_attention_heads", 16}, {"num_key_value_heads", nullptr}})), 16);
}

TEST(ParseModelConfig, NotesKeysThatTheOriginalDoesNotReadEither) {
  const ModelConfig config = parse_model_config(bert({{"use_relative_bias", true}, {"unsloth_fixed", false}}));
  EXPECT_THAT(config.unread_keys, testing::ElementsAre("unsloth_fixed", "use_relative_bias"));
  EXPECT_THAT(parse_model_config(bert({{"use_cache", true}})).unread_keys, testing::IsEmpty()) << "in every file";
}

TEST(ParseModelConfig, MissingKeysHaveTransformersDefaults) {
  const auto drawn = [](const ModelConfig& config) {
    return draw_blueprint(config, tasks_of(*config.architecture).front());
  };
  EXPECT_EQ(drawn(parse_model_config(bert())), drawn(preset("bert-base")));
  for (const auto& [family, name] : {std::pair("distilbert", "distilbert-base"), std::pair("gpt2", "gpt2"),
                                     std::pair("opt", "opt-125m"), std::pair("squeezebert", "squeezebert")}) {
    EXPECT_EQ(drawn(parse_model_config({{"model_type", family}})), drawn(preset(name)));
  }
  EXPECT_EQ(drawn(parse_model_config(bert({{"pad_token_id", nullptr}, {"classifier_dropout", nullptr}}))),
            drawn(preset("bert-base")))
      << "null is how Transformers writes an unset key";
  EXPECT_EQ(task_of(preset("bert-base")), std::nullopt);
}

TEST(ParseModelConfig, ReadsDistilbertsOwnKeys) {
  const ModelConfig config = parse_model_config({{"model_type", "distilbert"},
                                                 {"dim", 32},
                                                 {"n_layers", 2},
                                                 {"n_heads", 8},
                                                 {"hidden_dim", 48},
                                                 {"activation", "gelu_new"},
                                                 {"dropout", 0.3},
                                                 {"attention_dropout", 0.4},
                                                 {"seq_classif_dropout", 0.5},
                                                 {"sinusoidal_pos_embds", true},
                                                 {"layer_norm_eps", 0.5},
                                                 {"num_labels", 4}});
  EXPECT_EQ(config.family(), "distilbert");
  EXPECT_EQ(config.hidden_size, 32);
  EXPECT_EQ(config.num_layers, 2);
  EXPECT_EQ(config.num_heads, 8);
  const Blueprint blueprint = draw_blueprint(config, Task::kSequenceClassification);
  const LayerSpec& layer = blueprint.layers.front();
  EXPECT_EQ(layer.feed_forward.in.out, 48);
  EXPECT_EQ(blueprint.embedding.types, "");
  EXPECT_EQ(layer.attention_norm.epsilon, 1e-12) << "a constant of the model, not a key of its configuration";
  EXPECT_EQ(layer.feed_forward.activation, Activation::kGeluTanh);
  EXPECT_EQ(blueprint.hidden_dropout, 0.3);
  EXPECT_EQ(layer.attention.dropout, 0.4);
  EXPECT_EQ(blueprint.head.dropout, 0.5);
  EXPECT_EQ(config.num_labels, 4);
  EXPECT_EQ(blueprint.head.dense->weight, "pre_classifier.weight");
}

TEST(ParseModelConfig, ReadsGemma3sOwnKeys) {
  const ModelConfig config = parse_model_config({{"model_type", "gemma3_text"},
                                                 {"num_hidden_layers", 4},
                                                 {"sliding_window_pattern", 3},
                                                 {"sliding_window", 512},
                                                 {"head_dim", 64},
                                                 {"query_pre_attn_scalar", 256},
                                                 {"rope_theta", 5e5},
                                                 {"rope_local_base_freq", 2e4},
                                                 {"rope_scaling", {{"rope_type", "linear"}, {"factor", 8}}}});
  const Blueprint blueprint = draw_blueprint(config, Task::kCausalLm);
  const std::vector<std::int64_t> windows{512, 512, 0, 512};
  for (std::size_t i = 0; i < windows.size(); ++i) EXPECT_EQ(blueprint.layers[i].attention.window, windows[i]) << i;
  EXPECT_EQ(blueprint.layers[0].attention.score_scale, 0.5) << "√64 ÷ √256";
  EXPECT_EQ(blueprint.layers[0].attention.query_norm->weight_offset, 1);
  EXPECT_EQ(blueprint.layers[0].feed_forward_output_norm->name, "model.layers.0.post_feedforward_layernorm");
  EXPECT_EQ(blueprint.embedding.scale, 48) << "√2304";
  EXPECT_EQ(blueprint.head.output->weight, "model.embed_tokens.weight") << "tied by default";
  EXPECT_EQ(blueprint.rotary->theta, 5e5);
  EXPECT_EQ(blueprint.rotary->scaling, RotaryScaling::kLinear);
  EXPECT_EQ(blueprint.window_rotary->theta, 2e4);
  EXPECT_EQ(config.pad_token_id, 0) << "where the file names none";
  EXPECT_EQ(blueprint.window_rotary->scaling, RotaryScaling::kDefault) << "only layers that see all are stretched";
}

TEST(ParseModelConfig, Gemma3sNewerKeysAreByKindOfLayer) {
  const ModelConfig config =
      parse_model_config({{"model_type", "gemma3_text"},
                          {"num_hidden_layers", 2},
                          {"layer_types", {"full_attention", "sliding_attention"}},
                          {"rope_parameters",
                           {{"full_attention", {{"rope_type", "linear"}, {"factor", 4}, {"rope_theta", 2e6}}},
                            {"sliding_attention", {{"rope_type", "default"}}}}}});
  const Blueprint blueprint = draw_blueprint(config, Task::kEmbedding);
  EXPECT_EQ(blueprint.layers[0].attention.window, 0);
  EXPECT_EQ(blueprint.layers[1].attention.window, 4096);
  EXPECT_EQ(blueprint.rotary->theta, 2e6);
  EXPECT_EQ(blueprint.rotary->factor, 4);
  EXPECT_EQ(blueprint.window_rotary->theta, 1e4);
  Json both = config.source;
  both["rope_theta"] = 7;
  both["rope_scaling"] = {{"factor", 8}};
  const Blueprint older = draw_blueprint(parse_model_config(both), Task::kEmbedding);
  EXPECT_EQ(older.rotary->theta, 2e6) << "the newer base";
  EXPECT_EQ(older.rotary->factor, 8) << "the older factor";
  both["rope_scaling"] = {{"type", "linear"}, {"rope_type", "linear"}, {"factor", 8}};
  EXPECT_EQ(draw_blueprint(parse_model_config(both), Task::kEmbedding), older) << "both names of the kind";
}

TEST(ParseModelConfig, Phi3TurnsAPartOfEachHead) {
  const Json config = {{"model_type", "phi3"}, {"hidden_size", 64}, {"num_attention_heads", 4}};
  const auto rotary = [&](const Json& more) {
    Json all = config;
    all.update(more);
    return draw_blueprint(parse_model_config(all), Task::kEmbedding).rotary.value();
  };
  EXPECT_EQ(rotary(Json::object()).dimensions, 16);
  EXPECT_EQ(rotary({{"partial_rotary_factor", 0.75}}).dimensions, 12);
  const Json factors = {1.0, 1.5, 2.0, 2.5};
  const Json scaling = {{"type", "su"}, {"short_factor", factors}, {"long_factor", factors}};
  const RotarySpec stretched =
      rotary({{"partial_rotary_factor", 0.5}, {"original_max_position_embeddings", 128}, {"rope_scaling", scaling}});
  EXPECT_EQ(stretched.dimensions, 8);
  EXPECT_EQ(stretched.scaling, RotaryScaling::kLongRope) << "by its older name";
  EXPECT_EQ(stretched.original_positions, 128);
}

TEST(ParseModelConfig, Phi3MiniIsReadAsPublished) {
  const Json published = {{"architectures", {"Phi3ForCausalLM"}},
                          {"model_type", "phi3"},
                          {"attention_bias", false},
                          {"attention_dropout", 0.0},
                          {"bos_token_id", 1},
                          {"embd_pdrop", 0.0},
                          {"eos_token_id", 32000},
                          {"hidden_act", "silu"},
                          {"hidden_size", 3072},
                          {"initializer_range", 0.02},
                          {"intermediate_size", 8192},
                          {"max_position_embeddings", 4096},
                          {"num_attention_heads", 32},
                          {"num_hidden_layers", 32},
                          {"num_key_value_heads", 32},
                          {"original_max_position_embeddings", 4096},
                          {"pad_token_id", 32000},
                          {"resid_pdrop", 0.0},
                          {"rms_norm_eps", 1e-05},
                          {"rope_scaling", nullptr},
                          {"rope_theta", 10000.0},
                          {"sliding_window", 2047},
                          {"tie_word_embeddings", false},
                          {"torch_dtype", "bfloat16"},
                          {"use_cache", true},
                          {"vocab_size", 32064}};
  const Blueprint drawn = draw_blueprint(parse_model_config(published), Task::kCausalLm);
  EXPECT_EQ(drawn, draw_blueprint(preset("phi-3-mini"), Task::kCausalLm));
  EXPECT_EQ(drawn.layers.front().attention.window, 2047);
}

TEST(ParseModelConfig, Phi3sCacheIsOutgrownWhereItsFactorsChange) {
  const Json factors = Json::array({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0});
  Json scaling = {{"rope_type", "longrope"}, {"short_factor", factors}, {"long_factor", factors}};
  Json config = {{"model_type", "phi3"}, {"hidden_size", 64}, {"num_attention_heads", 4}};
  const auto limit = [&] { return draw_blueprint(parse_model_config(config), Task::kCausalLm).cache_limit; };
  EXPECT_EQ(limit(), std::nullopt);
  scaling["original_max_position_embeddings"] = 100;
  config["rope_scaling"] = scaling;
  EXPECT_EQ(limit(), 4096) << "its configuration class has a value beside the parameters";
  config["original_max_position_embeddings"] = 128;
  EXPECT_EQ(limit(), 128);
  config["model_type"] = "llama";
  EXPECT_EQ(limit(), std::nullopt) << "the original keeps Llama's cache";
}

TEST(ParseModelConfig, ReadsWhatToJsonWrites) {
  for (const std::string& name : preset_names()) {
    ModelConfig config = preset(name);
    EXPECT_EQ(parse_model_config(to_json(config)), config) << name;
    config.labels = {"a", "b", "c"};
    config.num_labels = 3;
    EXPECT_EQ(parse_model_config(to_json(config)), config) << name;
  }
}

TEST(ParseModelConfig, ReadsTheFilesOfTransformers) {
  const auto read = [](const std::string& name) {
    const auto path = models_folder() / name / "config.json";
    return parse_model_config(parse_json(path.string(), read_file(path)), path.string());
  };
  EXPECT_EQ(task_of(read("tiny-bert-classifier")), Task::kSequenceClassification);
  EXPECT_THAT(read("tiny-bert-classifier").labels, testing::ElementsAre("negative", "neutral", "positive"));
  EXPECT_EQ(read("tiny-distilbert-classifier").num_labels, 2);
  EXPECT_EQ(task_of(read("tiny-bert-encoder")), Task::kEmbedding);
  EXPECT_EQ(draw_blueprint(read("tiny-bert-encoder"), Task::kEmbedding).layers[0].feed_forward.activation,
            Activation::kGeluTanh);
}

struct Refused {
  Json json;
  ErrorKind kind;
  std::vector<std::string> parts;
};

TEST(ParseModelConfig, RefusesWithKeyValueAndRule) {
  const auto input = ErrorKind::kBadInput;
  const auto unsupported = ErrorKind::kUnsupported;
  const std::vector<Refused> cases = {
      {Json::array(), input, {"does not contain a JSON object"}},
      {Json::object(), input, {"model_type ''", "bert, distilbert, roberta"}},
      {{{"model_type", "distilbret"}}, input, {"model_type 'distilbret'", "Did you mean 'distilbert'?"}},
      {bert({{"hidden_size", 0}}), input, {"hidden_size '0'", "from 1 to"}},
      {bert({{"hidden_size", -768}}), input, {"hidden_size '-768'"}},
      {bert({{"hidden_size", 768.5}}), input, {"hidden_size '768.5'", "whole number"}},
      {bert({{"hidden_size", "768"}}), input, {"hidden_size '768'", "whole number"}},
      {bert({{"hidden_size", true}}), input, {"hidden_size 'true'"}},
      {bert({{"vocab_size", 18446744073709551615u}}), input, {"vocab_size '18446744073709551615'", "10000000"}},
      {bert({{"num_hidden_layers", 1000000}}), input, {"num_hidden_layers '1000000'"}},
      {bert({{"num_attention_heads", 7}}), input, {"hidden_size '768'", "multiple of num_attention_heads 7"}},
      {bert({{"pad_token_id", 30522}}), input, {"pad_token_id '30522'", "30521"}},
      {bert({{"layer_norm_eps", -1}}), input, {"layer_norm_eps '-1'"}},
      {bert({{"hidden_act", "prelu"}}), input, {"hidden_act 'prelu'", "gelu, gelu_python, gelu_pytorch_tanh"}},
      {bert({{"num_labels", 0}}), input, {"num_labels '0'"}},
      {bert({{"num_labels", 2}, {"id2label", {{"0", "x"}}}}),
       input,
       {"num_labels '2'", "expected 1, the number of labels"}},
      {bert({{"id2label", {{"0", "x"}, {"2", "y"}}}}), input, {"id2label", "consecutive keys"}},
      {bert({{"id2label", {{"1", "x"}, {"01", "y"}}}}), input, {"id2label", "consecutive keys"}},
      {bert({{"architectures", "BertModel"}}), input, {"architectures 'BertModel'", "list"}},
      {bert({{"position_embedding_type", "relative_key"}}), unsupported, {"position_embedding_type 'relative_key'"}},
      {bert({{"is_decoder", true}}), unsupported, {"is_decoder 'true'"}},
      {bert({{"add_cross_attention", true}}), unsupported, {"add_cross_attention"}},
      {bert({{"pruned_heads", {{"0", {1}}}}}), unsupported, {"pruned_heads"}},
      {bert({{"quantization_config", {{"bits", 4}}}}), unsupported, {"quantization_config"}},
      {bert({{"eos_token_id", "x"}}), input, {"eos_token_id 'x'"}},
      {{{"model_type", "gpt2"}, {"n_embd", 770}}, input, {"n_embd '770'", "multiple of n_head 12"}},
      {{{"model_type", "opt"}, {"layer_norm_elementwise_affine", false}},
       unsupported,
       {"layer_norm_elementwise_affine"}},
      {{{"model_type", "squeezebert"}, {"q_groups", 5}}, input, {"q_groups '5'", "a divisor of 768"}},
      {{{"model_type", "squeezebert"}, {"embedding_size", 128}}, input, {"embedding_size '128'", "hidden_size 768"}},
      {{{"model_type", "roberta"}, {"max_position_embeddings", 2}},
       input,
       {"max_position_embeddings '2'", "pad_token_id"}},
      {{{"model_type", "llama"}, {"num_key_value_heads", 5}}, input, {"num_key_value_heads '5'", "a divisor of"}},
      {{{"model_type", "llama"}, {"head_dim", 33}}, input, {"head_dim '33'", "even"}},
      {{{"model_type", "llama"}, {"rope_scaling", {{"type", "su"}}}}, unsupported, {"rope_scaling: rope_type 'su'"}},
      {{{"model_type", "llama"}, {"rope_parameters", {{"rope_type", "linear"}}}}, input, {"rope_parameters: factor"}},
      {{{"model_type", "llama"}, {"rope_parameters", {{"full_attention", {{"rope_type", "default"}}}}}},
       unsupported,
       {"rope_parameters", "all layers rotate alike"}},
      {{{"model_type", "llama"},
        {"partial_rotary_factor", 0.5},
        {"rope_parameters", {{"rope_type", "linear"}, {"factor", 2}}}},
       unsupported,
       {"partial_rotary_factor '0.5'"}},
      {{{"model_type", "mistral"}, {"is_causal", false}}, unsupported, {"is_causal 'false'", "sliding_window"}},
      {{{"model_type", "qwen2"},
        {"use_sliding_window", true},
        {"sliding_window", 4},
        {"layer_types", {"full_attention"}}},
       input,
       {"layer_types"}},
      {{{"model_type", "qwen3"},
        {"num_hidden_layers", 2},
        {"sliding_window", 4},
        {"layer_types", {"full_attention", "sliding_attention"}}},
       unsupported,
       {"layer_types 'sliding_attention'", "use_sliding_window"}},
      {{{"model_type", "qwen3"}, {"num_hidden_layers", 1}, {"layer_types", {"unheard_of"}}},
       unsupported,
       {"layer_types 'unheard_of'"}},
      {{{"model_type", "gemma3_text"}, {"final_logit_softcapping", 30.0}}, unsupported, {"final_logit_softcapping"}},
      {{{"model_type", "gemma3_text"}, {"attn_logit_softcapping", 50.0}}, unsupported, {"attn_logit_softcapping"}},
      {{{"model_type", "gemma3_text"}, {"use_bidirectional_attention", true}},
       unsupported,
       {"use_bidirectional_attention"}},
      {{{"model_type", "gemma3_text"}, {"rope_parameters", {{"rope_theta", 5.0}}}},
       input,
       {"rope_parameters", "full_attention"}},
      {{{"model_type", "phi3"}, {"partial_rotary_factor", 0.01}}, input, {"partial_rotary_factor '0.01'"}},
      {{{"model_type", "phi3"}, {"rope_scaling", {{"rope_type", "linear"}, {"factor", 2}}}},
       unsupported,
       {"rope_type"}},
      {{{"model_type", "phi3"}, {"resid_pdrop", 0.1}}, unsupported, {"resid_pdrop '0.1'"}},
      {{{"model_type", "phi3"}, {"vocab_size", 100}}, input, {"vocab_size '100'", "pad_token_id"}},
      {{{"model_type", "phi3"}, {"layer_types", {"full_attention"}}}, unsupported, {"layer_types"}},
      {{{"model_type", "gemma3_text"}, {"head_dim", 7}}, input, {"head_dim '7'"}},
      {{{"model_type", "gemma3_text"}, {"rope_scaling", "linear"}}, input, {"rope_scaling"}},
      {{{"model_type", "gemma3_text"}, {"rope_scaling", {{"type", "linear"}, {"factor", 8}}}},
       unsupported,
       {"type 'linear'", "rope_type"}},
      {{{"model_type", "gemma3_text"}, {"sliding_window", nullptr}}, input, {"sliding_window"}},
      {{{"model_type", "gemma3_text"}, {"num_key_value_heads", 3}}, input, {"num_key_value_heads '3'"}},
  };
  for (const Refused& refused : cases) {
    const std::string message =
        message_of(refused.kind, [&] { parse_model_config(refused.json, "folder/config.json"); });
    EXPECT_THAT(message, HasSubstr("folder/config.json")) << refused.json;
    for (const std::string& part : refused.parts) EXPECT_THAT(message, HasSubstr(part)) << refused.json;
  }
}

TEST(Preset, UnknownNameListsTheKnown) {
  EXPECT_THAT(
      message_of(ErrorKind::kBadInput, [] { preset("bert-bass"); }),
      AllOf(HasSubstr("preset 'bert-bass'"), HasSubstr("distilbert-base"), HasSubstr("Did you mean 'bert-base'?")));
}

TEST(ModelConfig, CutsTextsWhereTheTokenizerOrSentenceTransformersSay) {
  ModelConfig config;
  config.max_length = 512;
  EXPECT_EQ(config.text_length(Task::kEmbedding, std::nullopt), 512);
  EXPECT_EQ(config.text_length(Task::kEmbedding, 1024), 512);
  EXPECT_EQ(config.text_length(Task::kMaskedLm, 128), 128);
  config.sentence.max_length = 256;
  EXPECT_EQ(config.text_length(Task::kEmbedding, 128), 256) << "max_seq_length replaces model_max_length";
  EXPECT_EQ(config.text_length(Task::kMaskedLm, 128), 128);
  EXPECT_EQ(config.text_length(Task::kMaskedLm, std::nullopt), 512);
  EXPECT_EQ(config.text_length(Task::kSequenceClassification, std::nullopt), 512);
  config.sentence.is_cross_encoder = true;
  EXPECT_EQ(config.text_length(Task::kSequenceClassification, std::nullopt), 256);
  Case asked;
  EXPECT_EQ(config.text_length(asked, std::nullopt), 256);
  asked.max_length = 300;
  EXPECT_EQ(config.text_length(asked, 128), 300) << "the user's word counts";
}

Json vit(const Json& more) {
  Json json = {{"model_type", "vit"}};
  json.update(more);
  return json;
}

TEST(ParseModelConfig, ReadsTheSizesOfImages) {
  const ModelConfig usual = parse_model_config(vit(Json::object()));
  EXPECT_EQ(usual.image, (ImageShape{3, {224, 224}}));
  EXPECT_EQ(usual.max_length, 197);
  EXPECT_EQ(usual.image_tokens, 197);
  EXPECT_EQ(usual.num_labels, 2);
  const ModelConfig other =
      parse_model_config(vit({{"image_size", {20, 28}}, {"patch_size", {6, 8}}, {"num_channels", 1}}));
  EXPECT_EQ(other.image, (ImageShape{1, {20, 28}}));
  EXPECT_EQ(other.max_length, 3 * 3 + 1) << "what patches do not fill is left out";
  EXPECT_EQ(parse_model_config({{"model_type", "deit"}}).max_length, 198) << "with the token of distillation";
  EXPECT_EQ(task_of(parse_model_config(vit({{"architectures", {"ViTForImageClassification"}}}))),
            Task::kImageClassification);
  EXPECT_EQ(task_of(parse_model_config(vit({{"architectures", {"ViTModel"}}}))), Task::kImageEmbedding);
}

TEST(ParseModelConfig, RefusesImagesThatCannotBe) {
  for (const Json& wrong : {Json{{"image_size", 0}}, Json{{"image_size", {224}}}, Json{{"image_size", {224, "a"}}},
                            Json{{"patch_size", {0, 16}}}, Json{{"image_size", 8}}, Json{{"patch_size", {16, 300}}}}) {
    EXPECT_THROW(parse_model_config(vit(wrong)), Error) << wrong;
  }
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [] {
                           parse_model_config(vit({{"image_size", 8}}));
                         }),
              AllOf(HasSubstr("patch_size"), HasSubstr("no more pixels than image_size")));
  EXPECT_THROW(parse_model_config(vit({{"head_dim", 32}})), Error) << "the original would obey it";
  EXPECT_THROW(parse_model_config(vit({{"problem_type", "regression"}})), Error);
}

TEST(Tasks, OfImagesAndTextsAreApart) {
  EXPECT_EQ(tasks_of(*preset("vit-base").architecture),
            (std::vector{Task::kImageClassification, Task::kImageEmbedding}));
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [] { check_task(preset("vit-base"), Task::kEmbedding); }),
              HasSubstr("available: image_classification, image_embedding"));
  EXPECT_THROW(check_task(preset("bert-base"), Task::kImageEmbedding), Error);
}

}  // namespace
}  // namespace transformeter
