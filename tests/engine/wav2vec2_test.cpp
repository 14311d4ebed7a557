// What models that read sounds alone have: that the references tell each part of them from its neighbours.
#include <ATen/TensorOperators.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "engine/family_testing.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

void change_nothing(Blueprint&) {}

// The tensors of the convolution over frames, whose change changes the model's.
struct Places {
  at::Tensor v, gain, bias;
};
using ChangeWeight = std::function<void(const Places&)>;

class Wav2Vec2 : public testing::Test {
 protected:
  // How far the outputs of a tiny model are from Transformers' where its blueprint is changed, over frames that count.
  double error_of(
      const std::string& name, Task task, const std::string& batch, const Change& change, bool tells_padding = true,
      const ChangeWeight& change_weight = [](const Places&) {}) const {
    const std::filesystem::path folder = source_directory() / "tests/data/models" / ("tiny-" + name);
    const Reference reference(folder / "reference.safetensors");
    Checkpoint checkpoint = open_checkpoint(folder);
    ModelConfig config = checkpoint.config;
    Parameters parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
    const WaveSpec& waves = *config.waves;
    change_weight({parameters.at(waves.positions.weight), parameters.at(waves.position_gain),
                   parameters.at(waves.positions.bias)});
    config.architecture = changed(*config.architecture, change);
    const auto device = make_device("cpu");
    const InferenceEngine engine(make_transformer(config, task, parameters), {}, *device);
    const at::Tensor mask = reference.at(batch + ".token_mask");
    Batch sounds = sound_batch(reference.at(batch + ".input_values"), mask);
    if (!tells_padding) sounds.has_padding = false;
    at::Tensor output = engine.forward(engine.stage(sounds));
    if (output.dim() == 3) output = output * mask.to(at::kFloat).unsqueeze(-1);
    const at::Tensor expected = reference.at(fmt::format("{}.{}", batch, name_of(task)));
    return (output - expected).abs().max().item<double>();
  }
};

constexpr double kWrongBy = 0.01;
constexpr const char* kTiny[] = {"wav2vec2", "wav2vec2-stable", "hubert"};

TEST_F(Wav2Vec2, AMaskThatIsNotToldShows) {
  for (const char* name : kTiny) {
    for (const Task task : {Task::kSpeechRecognition, Task::kAudioClassification, Task::kAudioEmbedding}) {
      EXPECT_LE(error_of(name, task, "right", change_nothing), 1e-4) << name << " " << name_of(task);
      EXPECT_GT(error_of(name, task, "right", change_nothing, false), kWrongBy) << name << " " << name_of(task);
    }
  }
}

TEST_F(Wav2Vec2, WrongConvolutionsShow) {
  const auto error = [&](const char* name, const Change& change) {
    return error_of(name, Task::kSpeechRecognition, "unpadded", change);
  };
  EXPECT_GT(error("wav2vec2", [](Blueprint& it) { it.embedding.waves->layers[0].norms_over_time = false; }), kWrongBy)
      << "over channels";
  EXPECT_GT(error("wav2vec2-stable", [](Blueprint& it) { it.embedding.waves->layers[1].norms_over_time = true; }),
            kWrongBy)
      << "over time";
  EXPECT_GT(error("wav2vec2", [](Blueprint& it) { it.embedding.waves->layers[0].norm.reset(); }), kWrongBy);
  EXPECT_GT(error("wav2vec2-stable", [](Blueprint& it) { it.embedding.waves->layers[2].convolution.bias.clear(); }),
            kWrongBy);
  EXPECT_GT(error("wav2vec2", [](Blueprint& it) { it.embedding.waves->norm.reset(); }), kWrongBy);
  EXPECT_GT(error("wav2vec2", [](Blueprint& it) { it.embedding.waves->activation = Activation::kRelu; }), kWrongBy);
}

// One place of the kernel further is what cutting off the first surplus frame, and not the last, would give but for the
// edges.
TEST_F(Wav2Vec2, WrongPlacesShow) {
  for (const char* name : kTiny) {
    const auto error = [&](const ChangeWeight& change) {
      return error_of(name, Task::kSpeechRecognition, "unpadded", change_nothing, true, change);
    };
    EXPECT_GT(error([](const Places& it) { it.gain.zero_(), it.bias.zero_(); }), kWrongBy) << name << ": none";
    EXPECT_GT(error([](const Places& it) { it.gain.fill_(1); }), kWrongBy) << name << ": all of length 1";
    EXPECT_GT(error([](const Places& it) { it.v.copy_(it.v.roll({1}, {2})); }), kWrongBy) << name << ": cut before";
    EXPECT_GT(error([](const Places& it) { it.v.copy_(it.v.flip({2})); }), kWrongBy) << name << ": backwards";
    EXPECT_LE(error([](const Places& it) { it.v.mul_(3); }), 1e-4) << name << ": the length of v counts for nothing";
  }
}

TEST_F(Wav2Vec2, WrongNormsAndHeadsShow) {
  EXPECT_GT(
      error_of("wav2vec2", Task::kSpeechRecognition, "unpadded", [](Blueprint& it) { it.embedding.norm.reset(); }),
      kWrongBy);
  EXPECT_GT(
      error_of("wav2vec2-stable", Task::kSpeechRecognition, "unpadded", [](Blueprint& it) { it.final_norm.reset(); }),
      kWrongBy);
  EXPECT_GT(error_of("wav2vec2-stable", Task::kSpeechRecognition, "unpadded",
                     [](Blueprint& it) {
                       for (LayerSpec& layer : it.layers) layer.norm_first = false;
                     }),
            kWrongBy);
  for (const char* name : {"wav2vec2-stable", "wav2vec2-weighted"}) {
    EXPECT_GT(
        error_of(name, Task::kAudioClassification, "unpadded", [](Blueprint& it) { it.head.layer_weights.clear(); }),
        kWrongBy)
        << name << ": the last hidden states alone";
  }
  EXPECT_GT(error_of("wav2vec2", Task::kAudioClassification, "right",
                     [](Blueprint& it) { it.head.selection = Selection::kFirst; }),
            kWrongBy);
}

}  // namespace
}  // namespace transformeter
