// Every family and head that OpenVINO runs against the original implementation, on the checkpoints of
// scripts/references/family_reference.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>

#include <filesystem>

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

Loaded load_in_openvino(const fs::path& folder, Task task, const BackendOptions& asked = {}) {
  Checkpoint checkpoint = open_checkpoint(folder);
  const ModelConfig config = checkpoint.config;
  Loaded loaded;
  loaded.parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
  auto model = open_backend("openvino").make(draw_blueprint(config, task), loaded.parameters, asked);
  loaded.engine = std::make_unique<InferenceEngine>(std::move(model), EngineOptions(), *loaded.device);
  return loaded;
}

double largest_difference(at::Tensor output, const at::Tensor& expected, const at::Tensor& mask) {
  if (output.dim() == 3) output = output * mask.to(at::kFloat).unsqueeze(-1);
  EXPECT_EQ(output.sizes(), expected.sizes());
  return (output - expected).abs().max().item<double>();
}

class OpenVino : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why_not = why_no_backend("openvino")) GTEST_SKIP() << *why_not;
  }
};

class OpenVinoFamily : public OpenVino, public testing::WithParamInterface<const char*> {};

TEST_P(OpenVinoFamily, EveryHeadEqualsTransformersInFp32) {
  const fs::path folder = kModels / (std::string("tiny-") + GetParam());
  const Reference reference(folder / "reference.safetensors");
  std::size_t heads = 0;
  for (const Task task : tasks_of(*open_checkpoint(folder).config.architecture)) {
    const std::string name(name_of(task));
    if (!reference.has("unpadded." + name)) continue;
    ++heads;
    const Loaded loaded = load_in_openvino(folder, task);
    for (const std::string& batch : reference.batches()) {
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

INSTANTIATE_TEST_SUITE_P(All, OpenVinoFamily,
                         testing::Values("bert", "distilbert", "roberta", "albert", "electra", "gpt2", "opt",
                                         "opt-post-norm", "llama", "llama-yarn", "mistral", "qwen2", "qwen3"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Activations, poolings and other keys of config.json.
TEST_F(OpenVino, ConfigCasesAreAnsweredAsTransformersDoes) {
  const TemporaryFolder scratch;
  const Json cases = parse_json("config_cases.json", read_file(kModels / "config_cases.json")).at("cases");
  const Reference expected(kModels / "config_cases.safetensors");
  std::size_t checked = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].dump());
    const fs::path original = kModels / cases[i].at("folder").get<std::string>();
    if (original.filename() == "tiny-squeezebert") continue;
    const fs::path folder = scratch.path() / std::to_string(i);
    fs::create_directories(folder);
    Json config = parse_json("config.json", read_file(original / "config.json"));
    config.update(cases[i].at("changes"));
    write_json_file(folder / "config.json", config);
    fs::create_symlink(original / "model.safetensors", folder / "model.safetensors");
    const Task task = find_task(cases[i].at("task").get<std::string>()).value();
    const Reference inputs(original / "reference.safetensors");
    const Loaded loaded = load_in_openvino(folder, task);
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

TEST_F(OpenVino, ReadsBackWhatRan) {
  const fs::path folder = kModels / "tiny-bert";
  const Reference reference(folder / "reference.safetensors");
  BackendOptions asked;
  asked.threads = 2;
  const Loaded loaded = load_in_openvino(folder, Task::kSequenceClassification, asked);
  loaded.engine->forward(loaded.engine->stage(batch_of(reference, "right")));
  const ModelReadback readback = loaded.engine->readback().value();
  EXPECT_THAT(readback.library, HasSubstr("OpenVINO 20"));
  EXPECT_EQ(readback.precision, "fp32");
  EXPECT_EQ(readback.threads, 2);
  EXPECT_NE(readback.linear_kernel, "none");
  ASSERT_FALSE(readback.linear_types.empty());
  double share = 0;
  for (const LinearType& type : readback.linear_types) share += type.flop_share;
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST_F(OpenVino, RefusesWhatItCannotRun) {
  const auto refusal = [](const fs::path& folder, const BackendOptions& asked) -> std::string {
    try {
      load_in_openvino(folder, Task::kSequenceClassification, asked);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(kModels / "tiny-squeezebert", {}), HasSubstr("convolutions"));
  EXPECT_THAT(refusal(kModels / "tiny-bert", {.precision = "int8"}), HasSubstr("no precision int8"));
}

}  // namespace
}  // namespace transformeter
