// T5's config.json, and what checkpoints of its whole model hold beside the encoder.
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/encoder_decoder.h"
#include "spec/formulas.h"
#include "spec/model_facts.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

ModelConfig t5(Json keys) {
  keys["model_type"] = "t5";
  return parse_model_config(keys);
}

Blueprint encoder(const ModelConfig& config) {
  return draw_blueprint(config, Task::kEmbedding);
}

TEST(T5, HasTransformersDefaults) {
  const ModelConfig config = t5(Json::object());
  EXPECT_EQ(config.vocab_size, 32128);
  EXPECT_EQ(config.hidden_size, 512);
  EXPECT_EQ(config.pad_token_id, 0);
  const Blueprint blueprint = encoder(config);
  ASSERT_EQ(blueprint.layers.size(), 6U);
  const LayerSpec& layer = blueprint.layers.front();
  EXPECT_EQ(layer.attention.heads, 8);
  EXPECT_EQ(layer.attention.head_dim, 64);
  EXPECT_EQ(layer.attention.score_scale, 8) << "undoes 1 / √64";
  EXPECT_EQ(layer.feed_forward.width(), 2048);
  EXPECT_EQ(layer.feed_forward.activation, Activation::kRelu);
  EXPECT_FALSE(layer.feed_forward.is_gated());
  EXPECT_EQ(layer.attention_norm.kind, NormKind::kRms);
  EXPECT_EQ(layer.attention_norm.epsilon, 1e-6);
  EXPECT_EQ(blueprint.relative_bias->buckets, 32);
  EXPECT_EQ(blueprint.relative_bias->max_distance, 128);
  const ModelConfig multilingual = parse_model_config({{"model_type", "mt5"}});
  EXPECT_EQ(multilingual.vocab_size, 250112);
  const Blueprint mt5 = encoder(multilingual);
  EXPECT_EQ(mt5.layers.size(), 8U);
  EXPECT_EQ(mt5.layers.front().attention.heads, 6);
  EXPECT_EQ(mt5.layers.front().feed_forward.width(), 1024);
  EXPECT_TRUE(mt5.layers.front().feed_forward.is_gated());
}

TEST(T5, ReadsTheKindOfTheFeedForwardNetwork) {
  const auto network = [](const char* kind) {
    return encoder(t5({{"feed_forward_proj", kind}})).layers.front().feed_forward;
  };
  EXPECT_EQ(network("gated-gelu").activation, Activation::kGeluTanh);
  EXPECT_TRUE(network("gated-gelu").is_gated());
  EXPECT_EQ(network("gelu").activation, Activation::kGelu);
  EXPECT_FALSE(network("gelu").is_gated());
  EXPECT_EQ(network("gated-silu").activation, Activation::kSilu);
  EXPECT_EQ(network("gated-silu").gate->weight, "encoder.block.0.layer.1.DenseReluDense.wi_0.weight");
  for (const char* wrong : {"gated-gelu-new", "silu-gated", "gated-", "prelu"}) {
    EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { network(wrong); }), HasSubstr("feed_forward_proj")) << wrong;
  }
}

// As in T5Config and MT5Config, which set both keys by feed_forward_proj and then by the file.
TEST(T5, MoreExactKeysOfTheFeedForwardNetworkDecide) {
  for (const char* family : {"t5", "mt5"}) {
    SCOPED_TRACE(family);
    const auto network = [&](Json keys) {
      keys["model_type"] = family;
      return encoder(parse_model_config(keys)).layers.front().feed_forward;
    };
    const FeedForwardSpec silu = network({{"feed_forward_proj", "gated-gelu"}, {"dense_act_fn", "silu"}});
    EXPECT_EQ(silu.activation, Activation::kSilu);
    EXPECT_TRUE(silu.is_gated());
    EXPECT_TRUE(network({{"feed_forward_proj", "relu"}, {"is_gated_act", true}}).is_gated());
    EXPECT_FALSE(network({{"feed_forward_proj", "gated-gelu"}, {"is_gated_act", false}}).is_gated());
    const FeedForwardSpec saved =
        network({{"feed_forward_proj", "gated-gelu"}, {"dense_act_fn", "gelu_new"}, {"is_gated_act", true}});
    EXPECT_EQ(saved.activation, Activation::kGeluTanh);
    EXPECT_THAT(message_of(ErrorKind::kBadInput,
                           [&] {
                             network({{"dense_act_fn", "prelu"}});
                           }),
                AllOf(HasSubstr("dense_act_fn"), HasSubstr("'prelu'")));
    EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { network({{"is_gated_act", 1}}); }), HasSubstr("is_gated_act"));
  }
}

// In the encoder and the decoder: after the embeddings and each part, of shares, inside the network, after the last
// norm.
TEST(T5, DropsTheSameShareInEachPlace) {
  const auto shares = [](const Json& keys) {
    const Blueprint whole = draw_blueprint(t5(keys), Task::kSeq2SeqLm);
    std::vector<double> all;
    for (const Blueprint& stack : {encoder_of(whole), decoder_of(whole)}) {
      all.insert(all.end(), {stack.hidden_dropout, stack.final_dropout});
      for (const LayerSpec& layer : stack.layers) {
        all.insert(all.end(), {layer.attention.dropout, layer.feed_forward.dropout});
        if (layer.cross_attention) all.push_back(layer.cross_attention->dropout);
      }
    }
    return all;
  };
  EXPECT_EQ(shares(Json::object()), std::vector<double>(2 * 2 + 6 * 2 + 6 * 3, 0.1));
  EXPECT_EQ(shares({{"dropout_rate", 0.25}, {"num_layers", 1}}), std::vector<double>(2 * 2 + 2 + 3, 0.25));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [] { t5({{"dropout_rate", 2}}); }), HasSubstr("dropout_rate"));
}

TEST(T5, RefusesBucketsThatAreNone) {
  const auto refusal = [](const char* key, std::int64_t value) {
    return message_of(ErrorKind::kBadInput, [&] { t5({{key, value}}); });
  };
  EXPECT_THAT(refusal("relative_attention_num_buckets", 3), AllOf(HasSubstr("'3'"), HasSubstr("from 4")));
  EXPECT_THAT(refusal("relative_attention_max_distance", 8), AllOf(HasSubstr("'8'"), HasSubstr("from 9")));
  EXPECT_NO_THROW(t5({{"relative_attention_max_distance", 9}}));
}

TEST(T5, TakesNoOtherNamesForItsSizes) {
  for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "head_dim"}) {
    EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { t5({{key, 64}}); }), HasSubstr(key));
  }
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [] { t5({{"is_decoder", true}}); }), HasSubstr("is_decoder"));
}

TEST(T5, MayHaveADecoderWhereOthersMayNot) {
  EXPECT_NO_THROW(t5({{"is_encoder_decoder", true}}));
  EXPECT_NO_THROW(t5({{"is_encoder_decoder", false}}));
  EXPECT_THROW(t5({{"is_encoder_decoder", 1}}), Error);
  EXPECT_THROW(parse_model_config({{"model_type", "bert"}, {"is_encoder_decoder", true}}), Error);
}

TEST(T5, TextsHaveNoLimitOfTheModels) {
  const ModelConfig config = t5({{"n_positions", 512}});
  EXPECT_EQ(config.text_length(Task::kEmbedding, std::nullopt), kMaxPositions);
  EXPECT_EQ(config.text_length(Task::kEmbedding, 512), 512) << "the tokenizer's";
}

TEST(T5, ParametersArePublishedOnes) {
  const std::vector<std::pair<const char*, std::int64_t>> published = {
      {"t5-small", 60'506'624}, {"t5-base", 222'903'552}, {"flan-t5-small", 76'961'152}, {"flan-t5-base", 247'577'856}};
  for (const auto& [name, parameters] : published) {
    EXPECT_EQ(parameter_count(tensor_inventory(preset(name), Task::kSeq2SeqLm)), parameters) << name;
  }
}

TEST(T5, ParametersOfTheEncoderAreTransformersOnes) {
  const std::vector<std::pair<const char*, std::int64_t>> published = {
      {"t5-small", 35'330'816}, {"t5-base", 109'628'544}, {"flan-t5-small", 35'332'800}, {"flan-t5-base", 109'628'544}};
  for (const auto& [name, parameters] : published) {
    EXPECT_EQ(parameter_count(tensor_inventory(preset(name), Task::kEmbedding)), parameters) << name;
  }
}

TEST(T5, FactsAreOfTheWholeModelUnlessItsFolderHasAnEncoderAlone) {
  const ModelConfig small = preset("t5-small");
  const ModelFacts whole = model_facts("t5-small", small, 128);
  EXPECT_EQ(whole.parameters, 60'506'624);
  EXPECT_EQ(whole.flops_per_token, forward_flops(small, Task::kSeq2SeqLm, 1, 128) / 128);
  const Json described = describe_model(whole, small, std::nullopt);
  EXPECT_EQ(described.at("sizes").at("decoder_layers"), 6);
  EXPECT_TRUE(described.at("sizes").at("max_length").is_null()) << "distances have no last one";
  EXPECT_TRUE(described.at("text_length").is_null());
  const ModelConfig alone = t5({{"architectures", {"T5EncoderModel"}}});
  EXPECT_EQ(model_facts("encoder", alone, 128).parameters, parameter_count(tensor_inventory(alone, Task::kEmbedding)));
}

// In Transformers words are shared unless a checkpoint has others; that a file says otherwise tells that nothing is
// scaled.
TEST(T5, ScalesWhatItsSharedWordsRead) {
  const auto head = [](const Json& keys) { return draw_blueprint(t5(keys), Task::kSeq2SeqLm).head; };
  const double scale = 1 / std::sqrt(512.0);
  EXPECT_EQ(head(Json::object()).input_scale, scale);
  EXPECT_EQ(head(Json::object()).output->weight, "shared.weight");
  EXPECT_EQ(head({{"tie_word_embeddings", false}}).input_scale, 1);
  EXPECT_EQ(head({{"tie_word_embeddings", false}}).output->weight, "lm_head.weight");
  EXPECT_EQ(head({{"tie_word_embeddings", true}, {"scale_decoder_outputs", false}}).input_scale, 1);
  const ModelConfig multilingual = parse_model_config({{"model_type", "mt5"}});
  EXPECT_EQ(draw_blueprint(multilingual, Task::kSeq2SeqLm).head.input_scale, 1);
}

// Whose sizes and defaults alone are others: what holds of T5's training holds of mT5's.
TEST(T5, MultilingualOnesAreOfVersionOnePointOne) {
  Json keys = {{"vocab_size", 100},
               {"d_model", 16},
               {"num_layers", 2},
               {"num_heads", 2},
               {"d_kv", 8},
               {"d_ff", 24},
               {"dropout_rate", 0.25},
               {"feed_forward_proj", "gated-gelu"},
               {"tie_word_embeddings", false},
               {"decoder_start_token_id", 3}};
  const auto drawn = [&](const char* family) {
    keys["model_type"] = family;
    return draw_blueprint(parse_model_config(keys), Task::kSeq2SeqLm);
  };
  EXPECT_EQ(drawn("mt5"), drawn("t5"));
}

TEST(T5, BeginsWithTheTokenOfGenerationConfig) {
  ModelConfig config = t5({{"decoder_start_token_id", 7}});
  EXPECT_EQ(draw_blueprint(config, Task::kSeq2SeqLm).decoder->start_token, 7);
  config.generation.start = 9;
  EXPECT_EQ(draw_blueprint(config, Task::kSeq2SeqLm).decoder->start_token, 9);
  EXPECT_EQ(draw_blueprint(t5(Json::object()), Task::kSeq2SeqLm).decoder->start_token, std::nullopt);
  EXPECT_EQ(draw_blueprint(parse_model_config({{"model_type", "mt5"}}), Task::kSeq2SeqLm).decoder->start_token, 0);
}

// As Transformers' T5ForConditionalGeneration shifts labels: generation_config.json says nothing of training.
TEST(T5, LearnsTargetsBehindTheTokenOfConfig) {
  const auto learnt = [](ModelConfig config, std::optional<std::int64_t> generation) {
    config.generation.start = generation;
    return draw_blueprint(config, Task::kSeq2SeqLm).decoder->training_start_token;
  };
  EXPECT_EQ(learnt(t5({{"decoder_start_token_id", 7}}), 9), 7);
  EXPECT_EQ(learnt(t5(Json::object()), 9), 9) << "Transformers would refuse to train";
  EXPECT_EQ(learnt(t5(Json::object()), std::nullopt), std::nullopt);
  EXPECT_EQ(learnt(parse_model_config({{"model_type", "mt5"}}), 9), 0) << "MT5Config's default";
}

/// A copy of tiny-t5 with one key of each file changed, or taken out of it.
class T5Start : public testing::Test {
 protected:
  Checkpoint with_start(const std::optional<Json>& generation, const std::optional<Json>& config) const {
    const std::filesystem::path folder = folder_.path() / "model";
    std::filesystem::remove_all(folder);
    std::filesystem::copy(models_folder() / "tiny-t5", folder);
    for (const auto& [name, value] : {std::pair("generation_config.json", generation), {"config.json", config}}) {
      Json json = parse_json(name, read_file(folder / name));
      json.erase("decoder_start_token_id");
      if (value) json["decoder_start_token_id"] = *value;
      folder_.write(std::string("model/") + name, json.dump());
    }
    return open_checkpoint(folder);
  }

  TemporaryFolder folder_;
};

TEST_F(T5Start, ThatIsNoTokenIsRefusedWhereADecoderReadsIt) {
  for (const Json& wrong : {Json("0"), Json::array({0}), Json(94), Json(-1), Json(0.5)}) {
    SCOPED_TRACE(wrong.dump());
    const Checkpoint checkpoint = with_start(wrong, 0);
    EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { check_task(checkpoint, Task::kSeq2SeqLm); }),
                AllOf(HasSubstr("generation_config.json"), HasSubstr("decoder_start_token_id"),
                      HasSubstr("a whole number from 0 to 93")));
    EXPECT_THAT(
        message_of(ErrorKind::kBadInput, [&] { match_for_training(checkpoint, Task::kSeq2SeqLm, std::nullopt); }),
        HasSubstr("generation_config.json"));
    EXPECT_NO_THROW(check_task(checkpoint, Task::kEmbedding));
    EXPECT_NO_THROW(match_checkpoint(checkpoint, Task::kEmbedding));
  }
  EXPECT_NO_THROW(check_task(with_start(93, 0), Task::kSeq2SeqLm));
}

TEST_F(T5Start, ThatNoFileNamesIsRefusedWhereADecoderReadsIt) {
  const Checkpoint checkpoint = with_start(std::nullopt, std::nullopt);
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { check_task(checkpoint, Task::kSeq2SeqLm); }),
              AllOf(HasSubstr("config.json"), HasSubstr("add decoder_start_token_id"), HasSubstr("from 0 to 93")));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { match_for_training(checkpoint, Task::kSeq2SeqLm, std::nullopt); }),
              HasSubstr("add decoder_start_token_id"));
  EXPECT_NO_THROW(check_task(checkpoint, Task::kEmbedding));
  EXPECT_NO_THROW(check_task(with_start(std::nullopt, 0), Task::kSeq2SeqLm));
}

TEST(T5, ReadsAWholeCheckpoint) {
  for (const char* folder : {"tiny-t5", "tiny-t5-relu"}) {
    const Checkpoint checkpoint = open_checkpoint(models_folder() / folder);
    EXPECT_EQ(checkpoint.config.has_own_decoder, std::string(folder) == "tiny-t5");
    const CheckpointMatch match = match_checkpoint(checkpoint, Task::kSeq2SeqLm);
    EXPECT_TRUE(match.ignored.empty()) << folder;
    EXPECT_EQ(match.tensors.size(), checkpoint.entries.size()) << folder;
  }
}

// Otherwise half a decoder would answer, and nobody would know.
TEST(T5, RefusesLayersOfTheDecoderThatNothingReads) {
  Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-t5");
  auto entries = checkpoint.entries;
  const SafetensorsEntry table = entries.at("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
  entries["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] = table;
  entries["decoder.embed_tokens.weight"] = entries.at("shared.weight");
  EXPECT_THAT(match_checkpoint(checkpoint.config, Task::kSeq2SeqLm, entries, "file").ignored,
              testing::UnorderedElementsAre("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
                                            "decoder.embed_tokens.weight"));
  checkpoint.config.source["num_decoder_layers"] = 1;
  const auto match = [&](Task task) { match_checkpoint(checkpoint.config, task, entries, "file"); };
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { match(Task::kSeq2SeqLm); }),
              HasSubstr("unexpected tensor 'decoder.block.1."));
  EXPECT_NO_THROW(match(Task::kEmbedding)) << "which reads no decoder";
}

// A file that says words are not shared, and holds no others.
TEST(T5, SharesWordsThatNobodyElseHas) {
  Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-t5-relu");
  checkpoint.config.source["tie_word_embeddings"] = false;
  const CheckpointMatch match = match_checkpoint(checkpoint.config, Task::kSeq2SeqLm, checkpoint.entries, "file");
  EXPECT_EQ(match.tensors.back().parameter.name, "lm_head.weight");
  EXPECT_EQ(match.tensors.back().file_name, "shared.weight");
}

TEST(T5, CountsWhatADecodersCacheHolds) {
  const ModelConfig config = preset("t5-small");
  // Six layers with keys and values of 8 heads of 64, of 3 new tokens and of 10 that were encoded, in fp32.
  EXPECT_EQ(request_cache_bytes(config, Task::kSeq2SeqLm, 10, 3, 1, 4), 6 * (3 + 10) * 2 * 512 * 4);
  EXPECT_EQ(request_cache_bytes(config, Task::kSeq2SeqLm, 10, 3, 4, 4), 6 * (4 * 3 + 10) * 2 * 512 * 4)
      << "beams share the text";
}

// Scores of seeded weights have the deviation that those of other families have, though nothing scales them.
TEST(T5, SeededQueriesMakeUpForScoresThatAreNotScaled) {
  std::map<std::string, double> gains;
  for (const TensorSpec& tensor : tensor_inventory(preset("t5-small"), Task::kEmbedding)) {
    gains[tensor.name] = tensor.gain;
  }
  EXPECT_EQ(gains.at("encoder.block.0.layer.0.SelfAttention.q.weight"), 2.0 / 8);
  EXPECT_EQ(gains.at("encoder.block.0.layer.0.SelfAttention.k.weight"), 1);
}

TEST(T5, ReadsTheEncoderOfAWholeCheckpoint) {
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-t5");
  const CheckpointMatch match = match_checkpoint(checkpoint, Task::kEmbedding);
  EXPECT_EQ(match.tensors.size(), tensor_inventory(checkpoint.config, Task::kEmbedding).size());
  EXPECT_THAT(match.ignored, Contains("lm_head.weight"));
  EXPECT_THAT(match.ignored, Contains("decoder.final_layer_norm.weight"));
}

TEST(T5, ReadsWordsUnderTheEncodersName) {
  Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-t5");
  auto entries = checkpoint.entries;
  const SafetensorsEntry words = entries.at("shared.weight");
  entries["encoder.embed_tokens.weight"] = words;
  EXPECT_THAT(match_checkpoint(checkpoint.config, Task::kEmbedding, entries, "file").ignored,
              Contains("encoder.embed_tokens.weight"));
  entries.erase("shared.weight");
  const CheckpointMatch match = match_checkpoint(checkpoint.config, Task::kEmbedding, entries, "file");
  EXPECT_EQ(match.tensors.front().file_name, "encoder.embed_tokens.weight");
}

TEST(T5, ClassesAskForTasksThatAreThere) {
  const auto saved = [](const char* type, const char* name) {
    return task_of(parse_model_config({{"model_type", type}, {"architectures", {name}}}));
  };
  EXPECT_EQ(saved("t5", "T5EncoderModel"), Task::kEmbedding);
  EXPECT_EQ(saved("t5", "T5Model"), Task::kEmbedding);
  EXPECT_EQ(saved("mt5", "MT5EncoderModel"), Task::kEmbedding);
  EXPECT_EQ(saved("t5", "T5ForConditionalGeneration"), Task::kSeq2SeqLm);
  EXPECT_EQ(saved("mt5", "MT5ForConditionalGeneration"), Task::kSeq2SeqLm);
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [] { draw_blueprint(preset("t5-small"), Task::kCausalLm); }),
              AllOf(HasSubstr("'causal_lm'"), HasSubstr("embedding")));
}

}  // namespace
}  // namespace transformeter
