// Beam search against Transformers' (scripts/references/beam_reference.py), and that what is wrong with it shows.
#include "engine/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_file.h"
#include "engine/family_testing.h"
#include "model/encoded_text.h"
#include "spec/generation_settings.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

double tolerance_of(double score) {
  return 1e-4 * std::max(1.0, std::abs(score));
}

/// The model, but before each step neighbouring beams get each other's tokens in the cache.
class Disordered final : public Model {
 public:
  explicit Disordered(std::unique_ptr<Model> model) : model_(std::move(model)) {}
  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    if (inputs.cache != nullptr && inputs.cache->length() > 0 && is_split_) {
      const at::Tensor& ids = inputs.encoded != nullptr ? inputs.decoder_input_ids : inputs.input_ids;
      std::vector<std::int64_t> sources;
      for (std::int64_t row = 0; row < ids.size(0); ++row) sources.push_back(row % 2 == 0 ? row + 1 : row - 1);
      inputs.cache->reorder(sources);
    }
    is_split_ = true;
    return model_->forward(inputs, operators);
  }
  std::optional<std::int64_t> start_token() const override { return model_->start_token(); }

 private:
  std::unique_ptr<Model> model_;
  mutable bool is_split_ = false;
};

class BeamSearches : public testing::TestWithParam<const char*> {
 protected:
  Task task() const { return std::string(GetParam()) == "gpt2" ? Task::kCausalLm : Task::kSeq2SeqLm; }

  // As a folder with these values in its file has them.
  static GenerationSettings settings_of(const Json& one) {
    Json file = one.at("rules");
    file["num_beams"] = one.at("num_beams");
    file["length_penalty"] = one.at("length_penalty");
    const Json& stopping = one.at("early_stopping");
    file["early_stopping"] = stopping == "never" ? stopping : Json(stopping == "on");
    const TemporaryFolder folder;
    write_json_file(folder.path() / "generation_config.json", file);
    return read_generation_settings(folder.path(), Json::object());
  }

  GenerationOptions options_of(const Json& one) const {
    return {file_.at("new_tokens").get<std::int64_t>(), one.at("ends").get<std::vector<std::int64_t>>(),
            settings_of(one)};
  }

  std::vector<Beam> search(const InferenceEngine& engine, const GenerationOptions& options) const {
    return engine.search(engine.stage(batch_of(reference_, file_.at("batch").get<std::string>())), options);
  }

  static bool is_as_expected(const std::vector<Beam>& found, const Json& one) {
    for (std::size_t row = 0; row < found.size(); ++row) {
      if (Json(found[row].text) != one.at("texts").at(row)) return false;
      const auto score = one.at("scores").at(row).get<double>();
      if (std::abs(found[row].score - score) > tolerance_of(score)) return false;
    }
    return found.size() == one.at("texts").size();
  }

  // In how many of the cases the engine finds something else where the options are changed.
  template <typename Change>
  int wrong_cases(const InferenceEngine& engine, const Change& change) const {
    int wrong = 0;
    for (const Json& one : file_.at("cases")) {
      GenerationOptions options = options_of(one);
      change(options);
      wrong += is_as_expected(search(engine, options), one) ? 0 : 1;
    }
    return wrong;
  }

  std::filesystem::path folder_ = source_directory() / "tests/data/models" / (std::string("tiny-") + GetParam());
  Reference reference_{folder_ / "reference.safetensors"};
  Json file_ = parse_json("beams", read_file(folder_ / "beams.json"));
};

TEST_P(BeamSearches, FindTheTextsOfTransformersWithTheirScores) {
  for (const auto& [attention, fused] :
       {std::pair("sdpa", false), std::pair("sdpa", true), std::pair("eager", false)}) {
    EngineOptions options;
    options.attention = attention;
    options.fused = fused;
    const Loaded loaded =
        load(folder_, task(), options, make_linears({.precision = "fp32", .prepacked = fused, .fused = fused}));
    for (const Json& one : file_.at("cases")) {
      SCOPED_TRACE(fmt::format("{}{} {}", attention, fused ? " fused" : "", one.dump()));
      const std::vector<Beam> found = search(*loaded.engine, options_of(one));
      ASSERT_EQ(found.size(), one.at("texts").size());
      for (std::size_t row = 0; row < found.size(); ++row) {
        EXPECT_EQ(Json(found[row].text), one.at("texts").at(row)) << "row " << row;
        const auto score = one.at("scores").at(row).get<double>();
        EXPECT_NEAR(found[row].score, score, tolerance_of(score)) << "row " << row;
      }
    }
  }
}

TEST_P(BeamSearches, WrongSettingsShow) {
  const Loaded loaded = load(folder_, task(), {});
  EXPECT_EQ(wrong_cases(*loaded.engine, [](GenerationOptions&) {}), 0);
  const auto wrong = [&](auto change) {
    return wrong_cases(*loaded.engine, [&](GenerationOptions& options) { change(options.settings); });
  };
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.beams.length_penalty = 0; }), 10) << "no length penalty";
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.beams.early_stopping = EarlyStopping::kOn; }), 0);
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.beams.early_stopping = EarlyStopping::kOff; }), 0);
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.beams.early_stopping = EarlyStopping::kNever; }), 0);
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.beams.num_beams += 1; }), 0) << "another beam";
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.no_repeat_ngram_size = 0; }), 0) << "no such rule";
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.renormalizes = false; }), 0) << "sums below 1";
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.repetition_penalty = 1; }), 0) << "no such rule";
  if (GetParam() == std::string("t5-relu")) return;  // its texts are long enough by themselves
  EXPECT_GT(wrong([](GenerationSettings& settings) { settings.min_new_tokens = 0; }), 0) << "no such rule";
}

TEST_P(BeamSearches, BeamsWithTheTokensOfOthersShow) {
  ModelRegistry registry;
  register_builtin_models(registry);
  Checkpoint checkpoint = open_checkpoint(folder_);
  const ModelConfig config = checkpoint.config;
  const Parameters parameters = checkpoint_parameters(std::move(checkpoint), task(), at::kFloat);
  const std::unique_ptr<Device> device = make_device("cpu");
  int wrong = 0, even = 0;
  for (const Json& one : file_.at("cases")) {
    if (one.at("num_beams").get<int>() % 2 != 0) continue;
    ++even;
    const InferenceEngine engine(std::make_unique<Disordered>(registry.make(config, task(), parameters)), {}, *device);
    wrong += is_as_expected(search(engine, options_of(one)), one) ? 0 : 1;
  }
  EXPECT_GT(wrong, even / 2);
}

TEST_P(BeamSearches, BeamsWithOneTextHaveTheLogitsOfThatText) {
  const Loaded loaded = load(folder_, task(), {});
  Batch one;
  one.batch_size = 1;
  one.input_ids = {7, 21, 3, 40, 12};
  one.token_type_ids.assign(5, 0);
  one.attention_mask.assign(5, 1);
  one.sequence_length = one.useful_tokens = one.processed_tokens = 5;
  const StagedBatch text = loaded.engine->stage(one);
  const at::Tensor greedy = loaded.engine->forward_cached(text, 3);
  EXPECT_LE((loaded.engine->forward_cached(text, 3, 4) - greedy).abs().max().item<double>(), 1e-4);
  if (GetParam() == std::string("gpt2")) return;  // of a prompt's last tokens: after all of them, however many
  EXPECT_GT((loaded.engine->forward_cached(text, 2, 4) - greedy).abs().max().item<double>(), 1e-2);
}

TEST_P(BeamSearches, RowsOfABatchDoNotDependOnEachOther) {
  const Loaded loaded = load(folder_, task(), {});
  const Batch whole = batch_of(reference_, file_.at("batch").get<std::string>());
  const Json& one = file_.at("cases").at(0);
  for (std::int64_t row = 0; row < whole.batch_size; ++row) {
    Batch alone;
    alone.batch_size = 1;
    for (std::int64_t token = 0; token < whole.sequence_length; ++token) {
      const auto place = static_cast<std::size_t>(row * whole.sequence_length + token);
      if (whole.attention_mask[place] == 0) continue;
      alone.input_ids.push_back(whole.input_ids[place]);
      alone.token_type_ids.push_back(0);
      alone.attention_mask.push_back(1);
    }
    alone.sequence_length = alone.useful_tokens = alone.processed_tokens =
        static_cast<std::int64_t>(alone.input_ids.size());
    const std::vector<Beam> found = loaded.engine->search(loaded.engine->stage(alone), options_of(one));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(Json(found[0].text), one.at("texts").at(static_cast<std::size_t>(row))) << "row " << row;
  }
}

TEST_P(BeamSearches, MoreBeamsThanWordsAreRefused) {
  const Loaded loaded = load(folder_, task(), {});
  GenerationOptions options;
  options.settings.beams.num_beams = 100;
  try {
    search(*loaded.engine, options);
    FAIL() << "200 of fewer words";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("num_beams 100 needs a vocabulary of 200 tokens or more"));
    EXPECT_THAT(error.what(), testing::HasSubstr("use fewer"));
  }
}

// As many tokens as asked for; the last one's text is that of a search without end tokens.
TEST_P(BeamSearches, RequestsGoOnToTheirLastToken) {
  const Loaded loaded = load(folder_, task(), {});
  const InferenceEngine& engine = *loaded.engine;
  Batch prompt;
  prompt.batch_size = 1;
  prompt.input_ids = {5, 6, 7, 8};
  prompt.token_type_ids.assign(4, 0);
  prompt.attention_mask.assign(4, 1);
  prompt.sequence_length = prompt.useful_tokens = prompt.processed_tokens = 4;
  GenerationOptions options;
  options.max_new_tokens = 6;
  options.settings.beams.num_beams = 3;
  const std::vector<Beam> expected = engine.search(engine.stage(prompt), options);
  const std::unique_ptr<GenerationRequest> request = engine.start(engine.stage(prompt), 6, 3);
  request->first_token();
  EXPECT_EQ(request->logits().size(0), 1) << "beams begin after the prompt";
  const std::int64_t first_bytes = request->cache_bytes();
  std::int64_t last = 0;
  for (int step = 0; step < 5; ++step) last = request->next_token();
  EXPECT_EQ(request->logits().size(0), 3);
  EXPECT_EQ(request->cache_bytes(), first_bytes) << "nothing is added to what was taken";
  ASSERT_EQ(expected.at(0).text.size(), 6U);
  EXPECT_EQ(last, expected.at(0).text.back());
}

INSTANTIATE_TEST_SUITE_P(Tiny, BeamSearches, testing::Values("t5", "t5-relu", "gpt2"), [](const auto& one) {
  const std::string name = one.param;
  return name == "t5" ? "Gated" : name == "gpt2" ? "Causal" : "Relu";
});

}  // namespace
}  // namespace transformeter
