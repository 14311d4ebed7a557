// Wav2Vec2 and HuBERT: sizes, lengths after convolutions, tasks, and what is refused.
#include <algorithm>

#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Json speech(Json keys, const char* family = "wav2vec2") {
  keys["model_type"] = family;
  return keys;
}

std::string speech_fault(const Json& keys, const char* family = "wav2vec2") {
  try {
    parse_model_config(speech(keys, family));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Of Transformers 5.23: Wav2Vec2Model, Wav2Vec2ForCTC and ForSequenceClassification with its defaults, and with the
// settings of facebook/wav2vec2-large and -large-lv60. Tasks leave out what pretraining puts in place of masked frames,
// one number a channel.
TEST(Wav2Vec2Spec, HasAsManyParametersAsTheOriginal) {
  const auto count = [](const char* name, Task task) { return parameter_count(tensor_inventory(preset(name), task)); };
  EXPECT_EQ(parameter_count(base_inventory(preset("wav2vec2-base"))), 94'371'712);
  EXPECT_EQ(parameter_count(base_inventory(preset("hubert-base"))), 94'371'712);
  EXPECT_EQ(parameter_count(base_inventory(preset("wav2vec2-large"))), 315'428'992);
  EXPECT_EQ(parameter_count(base_inventory(preset("wav2vec2-large-lv60"))), 315'438'720);
  EXPECT_EQ(count("wav2vec2-base", Task::kAudioEmbedding), 94'371'712 - 768);
  EXPECT_EQ(count("wav2vec2-base", Task::kSpeechRecognition), 94'396'320 - 768);
  EXPECT_EQ(count("wav2vec2-base", Task::kAudioClassification), 94'569'090 - 768);
  EXPECT_EQ(count("wav2vec2-large", Task::kSpeechRecognition), 315'461'792 - 1024);
}

// _get_feat_extract_output_lengths of the original, for one second and beside the edges of its first frames.
TEST(Wav2Vec2Spec, CountsFramesAsTheOriginal) {
  const WaveSpec waves = *preset("wav2vec2-base").waves;
  EXPECT_EQ(waves.frames(399), 0);
  EXPECT_EQ(waves.frames(400), 1);
  EXPECT_EQ(waves.frames(719), 1);
  EXPECT_EQ(waves.frames(720), 2);
  EXPECT_EQ(waves.frames(16'000), 49);
  EXPECT_THAT(waves.lengths(16'000), ElementsAre(3199, 1599, 799, 399, 199, 99, 49));
  EXPECT_EQ(waves.frames(9), 0) << "shorter than the first kernel";
  for (const std::int64_t frames : {1, 2, 49, 1499}) {
    EXPECT_EQ(waves.frames(waves.samples(frames)), frames);
    EXPECT_EQ(waves.frames(waves.samples(frames) - 1), frames - 1) << "not the fewest";
  }
}

TEST(Wav2Vec2Spec, CountsFlopsLayerByLayer) {
  const ModelConfig base = preset("wav2vec2-base");
  const double t = 49, c = 768, f = 512;
  const double convolutions = 2 * f * (10 * 3151 + f * (3 * (1575 + 787 + 393 + 196) + 2 * (98 + 49)));
  EXPECT_EQ(base.waves->samples(49), 15'760);
  EXPECT_THAT(base.waves->lengths(15'760), ElementsAre(3151, 1575, 787, 393, 196, 98, 49));
  const double places = 2 * c * (c / 16) * 128 * (t + 1);  // an even kernel gives one frame more
  const double layer = 2 * t * (4 * c * c + 2 * c * 4 * c) + 4 * t * t * c;
  const double expected = convolutions + 2 * t * f * c + places + 12 * layer;
  EXPECT_DOUBLE_EQ(forward_flops(base, Task::kAudioEmbedding, 1, 49), expected);
  EXPECT_DOUBLE_EQ(forward_flops(base, Task::kSpeechRecognition, 2, 49), 2 * (expected + 2 * t * c * 32));
}

TEST(Wav2Vec2Spec, KnowsTasksByTheClassesOfTransformers) {
  const auto saved = [](const char* name) {
    const Json config =
        speech({{"architectures", {name}}}, std::string_view(name).starts_with("H") ? "hubert" : "wav2vec2");
    return task_of(parse_model_config(config));
  };
  EXPECT_EQ(saved("Wav2Vec2ForCTC"), Task::kSpeechRecognition);
  EXPECT_EQ(saved("Wav2Vec2ForSequenceClassification"), Task::kAudioClassification);
  EXPECT_EQ(saved("Wav2Vec2Model"), Task::kAudioEmbedding);
  EXPECT_EQ(saved("Wav2Vec2ForPreTraining"), Task::kAudioEmbedding);
  EXPECT_EQ(saved("HubertForCTC"), Task::kSpeechRecognition);
  EXPECT_EQ(saved("Wav2Vec2ForXVector"), std::nullopt);
  const Architecture& family = *preset("wav2vec2-base").architecture;
  EXPECT_THAT(tasks_of(family),
              ElementsAre(Task::kSpeechRecognition, Task::kAudioClassification, Task::kAudioEmbedding));
  EXPECT_EQ(base_task(family), Task::kAudioEmbedding);
  EXPECT_THROW(check_task(preset("wav2vec2-base"), Task::kSequenceClassification), Error);
}

TEST(Wav2Vec2Spec, ReadsBothKindsOfNorms) {
  const Blueprint base = draw_blueprint(preset("wav2vec2-base"), Task::kSpeechRecognition);
  EXPECT_TRUE(base.embedding.waves->layers[0].norms_over_time);
  EXPECT_FALSE(base.embedding.waves->layers[1].norm);
  EXPECT_TRUE(base.embedding.norm && !base.final_norm && !base.layers[0].norm_first);
  const Blueprint large = draw_blueprint(preset("wav2vec2-large-lv60"), Task::kSpeechRecognition);
  EXPECT_FALSE(large.embedding.waves->layers[0].norms_over_time);
  EXPECT_TRUE(large.embedding.waves->layers[6].norm);
  EXPECT_FALSE(large.embedding.waves->layers[6].convolution.bias.empty());
  EXPECT_TRUE(!large.embedding.norm && large.final_norm && large.layers[0].norm_first);
}

TEST(Wav2Vec2Spec, DropsAsManyValuesAsItsFileSays) {
  const Json shares = {{"feat_proj_dropout", 0.1},
                       {"hidden_dropout", 0.2},
                       {"attention_dropout", 0.3},
                       {"activation_dropout", 0.4},
                       {"final_dropout", 0.5}};
  const Blueprint set = draw_blueprint(parse_model_config(speech(shares)), Task::kSpeechRecognition);
  EXPECT_EQ(set.embedding.waves->dropout, 0.1);
  EXPECT_EQ(set.hidden_dropout, 0.2);
  EXPECT_EQ(set.layers[0].attention.dropout, 0.3);
  EXPECT_EQ(set.layers[0].feed_forward.dropout, 0.4);
  EXPECT_EQ(set.head.dropout, 0.5);
  const Blueprint usual = draw_blueprint(parse_model_config(speech(Json::object())), Task::kSpeechRecognition);
  EXPECT_EQ(usual.embedding.waves->dropout, 0) << "Wav2Vec2Config's own";
  EXPECT_EQ(usual.layers[0].feed_forward.dropout, 0.1);
  const Blueprint classes = draw_blueprint(parse_model_config(speech(shares)), Task::kAudioClassification);
  EXPECT_EQ(classes.head.dropout, 0) << "Wav2Vec2ForSequenceClassification has none";
  EXPECT_THAT(speech_fault({{"activation_dropout", 2}}), HasSubstr("activation_dropout"));
}

TEST(Wav2Vec2Spec, LearnsTranscriptsAsItsFileSays) {
  const auto ctc = [](const Json& keys) {
    return draw_blueprint(parse_model_config(speech(keys)), Task::kSpeechRecognition).head.ctc.value();
  };
  EXPECT_EQ(ctc(Json::object()), (CtcSpec{0, false, false}));
  EXPECT_EQ(ctc({{"ctc_loss_reduction", "mean"}, {"ctc_zero_infinity", true}, {"pad_token_id", 31}}),
            (CtcSpec{31, true, true}));
  EXPECT_FALSE(draw_blueprint(preset("wav2vec2-base"), Task::kAudioClassification).head.ctc);
  EXPECT_FALSE(ctc({{"ctc_loss_reduction", "none"}}).has_loss) << "which inference does not ask for";
  EXPECT_THAT(speech_fault({{"ctc_loss_reduction", "median"}}),
              AllOf(HasSubstr("ctc_loss_reduction"), HasSubstr("median"), HasSubstr("mean")));
  EXPECT_THAT(speech_fault({{"ctc_zero_infinity", "yes"}}), HasSubstr("ctc_zero_infinity"));
}

TEST(Wav2Vec2Spec, RefusesWhatItDoesNotComputeByName) {
  EXPECT_THAT(speech_fault({{"feat_extract_norm", "batch"}}),
              AllOf(HasSubstr("feat_extract_norm"), HasSubstr("layer")));
  EXPECT_THAT(speech_fault({{"conv_dim", {512, 512}}}), AllOf(HasSubstr("conv_stride"), HasSubstr("2 numbers")));
  EXPECT_THAT(speech_fault({{"conv_kernel", {10, 3, 3, 3, 3, 2, 0}}}), HasSubstr("conv_kernel"));
  EXPECT_THAT(speech_fault({{"conv_dim", "512"}}), HasSubstr("conv_dim"));
  EXPECT_THAT(speech_fault({{"num_conv_pos_embedding_groups", 7}}), AllOf(HasSubstr("7"), HasSubstr("768")));
  EXPECT_THAT(speech_fault({{"add_adapter", true}}), HasSubstr("add_adapter"));
  EXPECT_THAT(speech_fault({{"adapter_attn_dim", 16}}), HasSubstr("adapter_attn_dim"));
  EXPECT_THAT(speech_fault({{"conv_pos_batch_norm", true}}, "hubert"), HasSubstr("conv_pos_batch_norm"));
}

// A frame's samples are computed with signed numbers, which strides of a hundred layers would overflow.
TEST(Wav2Vec2Spec, BoundsTheSamplesOfAFrame) {
  const auto fault = [](std::vector<std::int64_t> strides, std::vector<std::int64_t> kernels) {
    const std::vector<std::int64_t> widths(strides.size(), 8);
    return speech_fault(
        {{"conv_dim", widths}, {"conv_stride", std::move(strides)}, {"conv_kernel", std::move(kernels)}});
  };
  EXPECT_THAT(fault(std::vector<std::int64_t>(100, 16'384), std::vector<std::int64_t>(100, 16'384)),
              AllOf(HasSubstr("conv_stride"), HasSubstr("[16384,16384,"), HasSubstr("2^28 samples")));
  EXPECT_EQ(fault({16'384, 16'384}, {1, 1}), "") << "2^28 from frame to frame";
  EXPECT_THAT(fault({16'384, 16'384, 2}, {1, 1, 1}), HasSubstr("2^28 samples"));
  EXPECT_EQ(fault({16'384, 1}, {1, 16'384}), "") << "1 + 16,383 · 16,384 samples are fewer";
  EXPECT_THAT(fault({16'384, 2, 1}, {1, 1, 16'384}), HasSubstr("2^28 samples")) << "1 + 16,383 · 32,768";
}

// As Wav2Vec2Model and Wav2Vec2ForPreTraining are saved: what pretraining learns is no head.
TEST(Wav2Vec2Spec, AFolderOfPretrainingHasNoHead) {
  const ModelConfig config = preset("wav2vec2-test");
  SafetensorsEntries model, pretraining;
  for (const TensorSpec& tensor : tensor_inventory(config, Task::kAudioEmbedding)) {
    const SafetensorsEntry entry{"F32", tensor.shape, 0, 0};
    model[tensor.name.substr(std::string_view("wav2vec2.").size())] = pretraining[tensor.name] = entry;
  }
  model["masked_spec_embed"] = pretraining["wav2vec2.masked_spec_embed"] = {"F32", {64}, 0, 0};
  for (const char* name : {"quantizer.codevectors", "quantizer.weight_proj.weight", "quantizer.weight_proj.bias",
                           "project_hid.weight", "project_hid.bias", "project_q.weight", "project_q.bias"}) {
    pretraining[name] = {"F32", {1}, 0, 0};
  }
  for (const SafetensorsEntries& entries : {model, pretraining}) {
    EXPECT_NO_THROW(match_checkpoint(config, Task::kAudioEmbedding, entries, "m"));
    for (const Task task : {Task::kSpeechRecognition, Task::kAudioClassification}) {
      EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { match_checkpoint(config, task, entries, "m"); }),
                  AllOf(HasSubstr("has no head for this task"), HasSubstr("Try --task audio_embedding")));
    }
  }
}

// HuBERT's tiny checkpoint has weight_g and weight_v, Wav2Vec2's the names of today.
TEST(Wav2Vec2Spec, FindsBothSpellingsOfTheWeightOfPlaces) {
  for (const char* name : {"tiny-wav2vec2", "tiny-hubert"}) {
    const Checkpoint checkpoint = open_checkpoint(models_folder() / name);
    const CheckpointMatch match = match_checkpoint(checkpoint, Task::kSpeechRecognition);
    const auto found = [&](const std::string& end) {
      return std::any_of(match.tensors.begin(), match.tensors.end(),
                         [&](const MatchedTensor& one) { return one.file_name.ends_with(end); });
    };
    const bool is_old = name == std::string_view("tiny-hubert");
    EXPECT_EQ(found("conv.weight_g"), is_old) << name;
    EXPECT_EQ(found("conv.weight_v"), is_old) << name;
    EXPECT_EQ(found("conv.parametrizations.weight.original0"), !is_old) << name;
  }
}

}  // namespace
}  // namespace transformeter
