// Every family and head that other libraries run against the original implementation, on the checkpoints of
// scripts/references/family_reference.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/json_file.h"
#include "engine/backends.h"
#include "engine/family_testing.h"
#include "spec/architecture.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kModels = source_directory() / "tests/data/models";

/// What both engines say of a batch may differ by the order of sums in fp32.
constexpr double kNear = 1e-4;

Loaded load_in(const std::string& engine, const fs::path& folder, Task task, const BackendOptions& asked = {}) {
  Checkpoint checkpoint = open_checkpoint(folder);
  const ModelConfig config = checkpoint.config;
  Loaded loaded;
  loaded.parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
  auto model = open_backend(engine).make(draw_blueprint(config, task), loaded.parameters, asked);
  loaded.engine = std::make_unique<InferenceEngine>(std::move(model), EngineOptions(), *loaded.device);
  return loaded;
}

double largest_difference(at::Tensor output, const at::Tensor& expected, const at::Tensor& mask) {
  if (output.dim() == 3) output = output * mask.to(at::kFloat).unsqueeze(-1);
  EXPECT_EQ(output.sizes(), expected.sizes());
  return (output - expected).abs().max().item<double>();
}

double relative_difference(const at::Tensor& output, const at::Tensor& expected) {
  return (output - expected).norm().item<double>() / expected.norm().item<double>();
}

class LibraryEngine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why_not = why_no_backend(engine())) GTEST_SKIP() << *why_not;
  }
  static std::string engine() { return GetParam(); }
};

std::string name_of_engine(const testing::TestParamInfo<std::string>& one) {
  return one.param;
}

class LibraryEngineFamily : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (const auto why_not = why_no_backend(engine())) GTEST_SKIP() << *why_not;
  }
  static std::string engine() { return std::get<0>(GetParam()); }
};

TEST_P(LibraryEngineFamily, EveryHeadEqualsTransformersInFp32) {
  const fs::path folder = kModels / ("tiny-" + std::get<1>(GetParam()));
  const Reference reference(folder / "reference.safetensors");
  std::size_t heads = 0;
  for (const Task task : tasks_of(*open_checkpoint(folder).config.architecture)) {
    const std::string name(name_of(task));
    if (!reference.has("unpadded." + name)) continue;
    ++heads;
    const Loaded loaded = load_in(engine(), folder, task);
    for (const std::string& batch : reference.batches(task)) {
      SCOPED_TRACE(name + " " + batch);
      const StagedBatch staged = loaded.engine->stage(batch_of(reference, batch));
      const at::Tensor mask = reference.at(batch + ".token_mask");
      const at::Tensor expected = reference.at(batch + "." + name);
      EXPECT_LE(largest_difference(loaded.engine->forward(staged), expected, mask), kNear);
      if (batch != "right" || open_checkpoint(folder).config.family() == "gpt2") continue;
      if (draw_blueprint(open_checkpoint(folder).config, task).is_causal) continue;  // none sees what comes after it
      EXPECT_GT(largest_difference(loaded.engine->forward_unmasked(staged), expected, mask), 10 * kNear)
          << "the check would not see a mask that is not there";
    }
  }
  EXPECT_GE(heads, 1U);
}

INSTANTIATE_TEST_SUITE_P(All, LibraryEngineFamily,
                         testing::Combine(testing::Values("openvino", "onnxruntime"),
                                          testing::Values("bert", "distilbert", "roberta", "albert", "electra", "gpt2",
                                                          "opt", "opt-post-norm", "llama", "llama-yarn", "mistral",
                                                          "qwen2", "qwen3", "phi3-longrope", "clip-text",
                                                          "siglip-text")),
                         [](const auto& one) {
                           std::string name = std::get<0>(one.param) + "_" + std::get<1>(one.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Activations, poolings and other keys of config.json.
TEST_P(LibraryEngine, ConfigCasesAreAnsweredAsTransformersDoes) {
  const TemporaryFolder scratch;
  const Json cases = parse_json("config_cases.json", read_file(kModels / "config_cases.json")).at("cases");
  const Reference expected(kModels / "config_cases.safetensors");
  std::size_t checked = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].dump());
    const fs::path original = kModels / cases[i].at("folder").get<std::string>();
    if (original.filename() == "tiny-squeezebert" || original.filename() == "tiny-phi3") continue;  // refused
    const fs::path folder = scratch.path() / std::to_string(i);
    fs::create_directories(folder);
    Json config = parse_json("config.json", read_file(original / "config.json"));
    config.update(cases[i].at("changes"));
    write_json_file(folder / "config.json", config);
    fs::create_symlink(original / "model.safetensors", folder / "model.safetensors");
    const Task task = find_task(cases[i].at("task").get<std::string>()).value();
    const Reference inputs(original / "reference.safetensors");
    const Loaded loaded = load_in(engine(), folder, task);
    for (const char* batch : {"unpadded", "right"}) {
      const std::string name = std::to_string(i) + "." + batch;
      if (!expected.has(name)) continue;
      const at::Tensor output = loaded.engine->forward(loaded.engine->stage(batch_of(inputs, batch)));
      EXPECT_LE(largest_difference(output, expected.at(name), inputs.at(std::string(batch) + ".token_mask")), kNear);
      ++checked;
    }
  }
  EXPECT_GE(checked, 60U);
}

TEST_P(LibraryEngine, ReadsBackWhatRan) {
  const fs::path folder = kModels / "tiny-bert";
  const Reference reference(folder / "reference.safetensors");
  BackendOptions asked;
  asked.threads = 2;
  const Loaded loaded = load_in(engine(), folder, Task::kSequenceClassification, asked);
  loaded.engine->forward(loaded.engine->stage(batch_of(reference, "right")));
  const ModelReadback readback = loaded.engine->readback().value();
  EXPECT_THAT(readback.library, HasSubstr(engine() == "openvino" ? "OpenVINO 20" : "ONNX Runtime 1."));
  EXPECT_EQ(readback.precision, "fp32");
  EXPECT_EQ(readback.threads, 2);
  EXPECT_NE(readback.linear_kernel, "none");
  ASSERT_FALSE(readback.linear_types.empty());
  const Blueprint blueprint = draw_blueprint(open_checkpoint(folder).config, Task::kSequenceClassification);
  const auto layers = static_cast<std::int64_t>(blueprint.layers.size());
  std::int64_t count = 0;
  for (const LinearType& type : readback.linear_types) {
    count += type.count;
    EXPECT_EQ(type.input, "fp32");
    EXPECT_EQ(type.weight, "fp32");
    if (type.may_stay) {
      EXPECT_LT(type.flop_share, 0.02) << "the classifier, of two outputs";
    }
  }
  if (engine() != "onnxruntime") return;
  EXPECT_EQ(readback.linear_kernel, "MatMul");
  EXPECT_EQ(readback.attention_kernel, "Attention");
  EXPECT_EQ(count, 4 * layers + 2) << "attention's inputs and output, two of the feed-forward; pooler and classifier";
}

// ONNX Runtime's one profile is read either way.
TEST_P(LibraryEngine, DoesNotReadBackWhatRanWhereItsProfileIsOfCountedNodes) {
  if (engine() != "onnxruntime") GTEST_SKIP() << "OpenVINO tells both";
  BackendOptions asked;
  asked.counts_nodes = true;
  const Loaded loaded = load_in(engine(), kModels / "tiny-bert", Task::kSequenceClassification, asked);
  try {
    loaded.engine->readback();
    ADD_FAILURE() << "read back";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
  }
}

TEST_P(LibraryEngine, Int8IsReadBackAndNearFp32) {
  BackendOptions asked;
  asked.precision = "int8";
  const auto precisions = backend_precisions(engine());
  if (std::find(precisions.begin(), precisions.end(), asked.precision) == precisions.end()) {
    GTEST_SKIP() << "engine " << engine() << " has no int8 of its own";
  }
  // One operator for all of attention; one weight for all layers; separate products, rotated, heads that share keys,
  // gates; a window; queries, keys and values in one weight; norms first.
  const std::pair<const char*, const char*> models[] = {
      {"tiny-bert", "QAttention"}, {"tiny-albert", "QAttention"},          {"tiny-qwen3", "MultiHeadAttention"},
      {"tiny-gpt2", "QAttention"}, {"tiny-mistral", "MultiHeadAttention"}, {"tiny-opt", "QAttention"}};
  for (const auto& [name, attention] : models) {
    SCOPED_TRACE(name);
    const fs::path folder = kModels / name;
    const Reference reference(folder / "reference.safetensors");
    const Loaded loaded = load_in(engine(), folder, Task::kEmbedding, asked);
    const at::Tensor output = loaded.engine->forward(loaded.engine->stage(batch_of(reference, "right")));
    const double relative = relative_difference(output, reference.at("right.embedding"));
    EXPECT_LE(relative, 0.1);
    EXPECT_GT(relative, 1e-5) << "it computed in fp32";
    const ModelReadback readback = loaded.engine->readback().value();
    EXPECT_EQ(readback.precision, "int8");
    EXPECT_EQ(readback.attention_kernel, attention);
    for (const LinearType& type : readback.linear_types) {
      if (type.may_stay) continue;
      EXPECT_EQ(type.input, "uint8");
      EXPECT_EQ(type.weight, "int8");
    }
  }
}

// In fp32 and in int8, whose operator takes the same attribute.
TEST_P(LibraryEngine, ObeysTheScaleOfScores) {
  const TemporaryFolder scratch;
  const fs::path original = kModels / "tiny-gpt2";
  Json config = parse_json("config.json", read_file(original / "config.json"));
  config["scale_attn_weights"] = false;
  write_json_file(scratch.path() / "config.json", config);
  fs::create_symlink(original / "model.safetensors", scratch.path() / "model.safetensors");
  const Reference inputs(original / "reference.safetensors");
  const auto answer = [&](const fs::path& folder, const std::string& precision) {
    BackendOptions asked;
    asked.precision = precision;
    const Loaded loaded = load_in(engine(), folder, Task::kEmbedding, asked);
    return loaded.engine->forward(loaded.engine->stage(batch_of(inputs, "unpadded")));
  };
  const at::Tensor scaled = answer(original, "fp32");
  const at::Tensor unscaled = answer(scratch.path(), "fp32");
  const double apart = relative_difference(unscaled, scaled);
  EXPECT_GT(apart, 1e-3);
  const auto precisions = backend_precisions(engine());
  if (std::find(precisions.begin(), precisions.end(), "int8") == precisions.end()) return;
  EXPECT_LT(relative_difference(answer(scratch.path(), "int8") - answer(original, "int8"), unscaled - scaled), 0.5);
}

TEST_P(LibraryEngine, RefusesWhatItCannotRun) {
  const auto refusal = [&](const fs::path& folder, const BackendOptions& asked,
                           Task task = Task::kSequenceClassification) -> std::string {
    try {
      load_in(engine(), folder, task, asked);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(kModels / "tiny-squeezebert", {}), HasSubstr("convolutions"));
  EXPECT_THAT(refusal(kModels / "tiny-mpnet", {}), HasSubstr("relative positions"));
  for (const Task task : {Task::kEmbedding, Task::kSeq2SeqLm}) {
    EXPECT_THAT(refusal(kModels / "tiny-t5", {}, task), HasSubstr("relative positions"));
  }
  EXPECT_THAT(refusal(kModels / "tiny-gemma3", {}), HasSubstr("scaled embeddings"));
  EXPECT_THAT(refusal(kModels / "tiny-phi3", {}), HasSubstr("a part of each head"));
  const std::string other = engine() == "openvino" ? "int8" : "bf16";
  BackendOptions unknown;
  unknown.precision = other;
  EXPECT_THAT(refusal(kModels / "tiny-bert", unknown), HasSubstr("no precision " + other));
}

INSTANTIATE_TEST_SUITE_P(All, LibraryEngine, testing::Values("openvino", "onnxruntime"), name_of_engine);

}  // namespace
}  // namespace transformeter
