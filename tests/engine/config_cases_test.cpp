// Keys of config.json that were once ignored in silence, or refused though harmless: Transformers' answers to the
// checkpoints of scripts/references/config_case_reference.py.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json_file.h"
#include "engine/family_testing.h"
#include "spec/safetensors_writer.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = source_directory() / "tests/data/models";

// A copy of a tiny model with other keys.
void copy_changed(const fs::path& from, const Json& changes, const fs::path& to) {
  fs::create_directories(to);
  Json config = parse_json("config.json", read_file(from / "config.json"));
  config.update(changes);
  write_json_file(to / "config.json", config);
  if (!fs::exists(to / "model.safetensors")) fs::create_symlink(from / "model.safetensors", to / "model.safetensors");
}

double largest_difference(const Loaded& loaded, const Batch& batch, const at::Tensor& expected) {
  at::Tensor output = loaded.engine->forward(loaded.engine->stage(batch));
  if (output.dim() == 3) {
    const auto mask = at::tensor(std::vector<std::int64_t>(batch.attention_mask.begin(), batch.attention_mask.end()));
    output = output * mask.view({batch.batch_size, batch.sequence_length, 1});
  }
  return (output - expected).abs().max().item<double>();
}

TEST(ConfigCases, AreAnsweredAsTransformersDoes) {
  const TemporaryFolder scratch;
  const Json cases = parse_json("config_cases.json", read_file(kModels / "config_cases.json")).at("cases");
  ASSERT_GE(cases.size(), 42U);
  const Reference expected(kModels / "config_cases.safetensors");
  EngineOptions all;
  all.packed = true;
  all.fused = true;
  all.needed_tokens = true;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].dump());
    const fs::path original = kModels / cases[i].at("folder").get<std::string>();
    const fs::path folder = scratch.path() / std::to_string(i);
    copy_changed(original, cases[i].at("changes"), folder);
    const Task task = find_task(cases[i].at("task").get<std::string>()).value();
    const Reference inputs(original / "reference.safetensors");
    for (const EngineOptions& options : {EngineOptions(), all}) {
      const Loaded loaded = load(folder, task, options, make_linears({"fp32", options.fused, options.fused}));
      for (const char* batch : {"unpadded", "right"}) {
        SCOPED_TRACE(batch);
        // Batch `right` is padded with another token than those cases name.
        const bool is_there = expected.has(std::to_string(i) + "." + batch);
        ASSERT_TRUE(is_there || (batch == std::string("right") && cases[i].at("changes").contains("pad_token_id")));
        if (!is_there) continue;
        EXPECT_LE(largest_difference(loaded, batch_of(inputs, batch), expected.at(std::to_string(i) + "." + batch)),
                  1e-4);
      }
    }
  }
}

// A copy of the file with a decoder of twice the table of words.
void write_with_doubled_head(const fs::path& from, const fs::path& to) {
  const MappedFile file(from);
  std::vector<StoredTensor> tensors;
  at::Tensor head;
  for (const auto& [name, entry] : parse_safetensors_header(file.bytes(), from.string())) {
    const std::string_view bytes = file.bytes().substr(entry.begin, entry.end - entry.begin);
    tensors.push_back({name, entry.dtype, entry.shape, bytes});
    if (!name.ends_with("wte.weight")) continue;
    ASSERT_EQ(entry.dtype, "BF16");
    void* values = const_cast<char*>(bytes.data());
    head = at::from_blob(values, entry.shape, at::TensorOptions(at::kBFloat16)) * 2;
  }
  tensors.push_back({"lm_head.weight",
                     "BF16",
                     head.sizes().vec(),
                     {static_cast<const char*>(head.data_ptr()), static_cast<std::size_t>(head.nbytes())}});
  write_safetensors(to, std::move(tensors));
}

// lm_head has no bias: twice the table of words gives twice the logits.
TEST(ConfigCases, AHeadOfItsOwnIsReadThoughConfigTiesIt) {
  const TemporaryFolder scratch;
  const fs::path original = kModels / "tiny-gpt2";
  for (const Json& tied : {Json(true), Json()}) {
    const fs::path folder = scratch.path() / tied.dump();
    fs::create_directories(folder);
    write_with_doubled_head(original / "model.safetensors", folder / "model.safetensors");
    copy_changed(original, {{"tie_word_embeddings", tied}}, folder);
    const Reference reference(original / "reference.safetensors");
    const at::Tensor expected = reference.at("unpadded.causal_lm") * 2;
    EXPECT_LE(largest_difference(load(folder, Task::kCausalLm, {}), batch_of(reference, "unpadded"), expected), 2e-4);
  }
}

}  // namespace
}  // namespace transformeter
