// generation_config.json against Transformers' logits processors (scripts/references/generation_rules_reference.py).
#include "engine/generation_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ops/tensor.h>

#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "base/json_file.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

GenerationSettings settings_of(const Json& config) {
  const TemporaryFolder folder;
  write_json_file(folder.path() / "generation_config.json", config);
  return read_generation_settings(folder.path(), Json::object());
}

TEST(GenerationRules, AreTransformers) {
  const auto path = source_directory() / "tests/data/models/generation_rules.json";
  const Json file = parse_json(path.string(), read_file(path));
  const auto ends = file.at("ends").get<std::vector<std::int64_t>>();
  ASSERT_GT(file.at("cases").size(), 40U);
  for (const Json& one : file.at("cases")) {
    SCOPED_TRACE(one.dump());
    const GenerationSettings settings = settings_of(one.at("settings"));
    EXPECT_TRUE(settings.has_rules());
    const auto prompt = one.at("prompt").get<std::vector<std::int64_t>>();
    const auto text = one.at("text").get<std::vector<std::int64_t>>();
    at::Tensor scores = at::tensor(one.at("scores").get<std::vector<float>>());
    apply_rules(settings, {prompt, text, ends}, scores);
    for (std::size_t i = 0; i < one.at("expected").size(); ++i) {
      const float score = scores.data_ptr<float>()[i];
      const Json& expected = one.at("expected")[i];
      if (expected.is_null()) {
        EXPECT_EQ(score, -INFINITY) << i;
      } else {
        EXPECT_NEAR(score, expected.get<float>(), 1e-6) << i;
      }
    }
  }
}

TEST(GenerationSettings, NameWhatIsNotComputed) {
  EXPECT_EQ(settings_of({{"num_beams", 1}, {"do_sample", true}, {"temperature", 0.6}, {"top_k", 20}}).refusal, "");
  EXPECT_FALSE(settings_of({{"temperature", 0.6}}).has_rules());
  EXPECT_THAT(settings_of({{"num_beam_groups", 4}}).refusal,
              testing::HasSubstr("generation_config.json: num_beam_groups '4'"));
  EXPECT_THAT(settings_of({{"stop_strings", {"\n"}}}).refusal, testing::HasSubstr("stop_strings"));
  EXPECT_THROW(settings_of({{"repetition_penalty", "high"}}), Error);
  EXPECT_THROW(settings_of({{"bad_words_ids", {1, 2}}}), Error);
  EXPECT_EQ(settings_of({{"eos_token_id", 7}}).ends, std::vector<std::int64_t>{7});
  EXPECT_EQ(settings_of(Json::object()).ends, std::vector<std::int64_t>()) << "no end token, whatever config.json says";
}

TEST(GenerationSettings, AreThoseOfConfigWhereThereIsNoFileOfTheirOwn) {
  const TemporaryFolder folder;
  const GenerationSettings settings =
      read_generation_settings(folder.path(), {{"repetition_penalty", 1.5}, {"eos_token_id", 3}});
  EXPECT_EQ(settings.repetition_penalty, 1.5);
  EXPECT_EQ(settings.ends, std::nullopt);
  EXPECT_EQ(read_generation_settings(folder.path(), {{"num_beams", 2}}).beams.num_beams, 2);
  EXPECT_THAT(read_generation_settings(folder.path(), {{"guidance_scale", 2}}).refusal,
              testing::HasSubstr("config.json: guidance_scale '2'"));
}

TEST(GenerationSettings, SayHowTextsAreSearchedFor) {
  EXPECT_EQ(settings_of(Json::object()).beams, (BeamSettings{1, 1, EarlyStopping::kOff}));
  EXPECT_EQ(settings_of({{"num_beams", 4}, {"length_penalty", -0.5}, {"early_stopping", true}}).beams,
            (BeamSettings{4, -0.5, EarlyStopping::kOn}));
  EXPECT_EQ(settings_of({{"early_stopping", false}}).beams.early_stopping, EarlyStopping::kOff);
  EXPECT_EQ(settings_of({{"early_stopping", "never"}}).beams.early_stopping, EarlyStopping::kNever);
  const auto refused = [](const Json& file, const char* what) {
    try {
      settings_of(file);
      ADD_FAILURE() << file.dump();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(what));
    }
  };
  refused({{"num_beams", 0}}, "num_beams");
  refused({{"length_penalty", 11}}, "a number from -10 to 10");
  refused({{"early_stopping", "always"}}, "true, false or \"never\"");
}

TEST(GenerationSettings, GiveWayToWhatAUserAsksFor) {
  const GenerationSettings file = settings_of({{"num_beams", 4}, {"length_penalty", 2.0}, {"no_repeat_ngram_size", 3}});
  EXPECT_EQ(overridden(file, {}), file);
  const GenerationSettings asked = overridden(file, {2, {}, EarlyStopping::kOn, 0});
  EXPECT_EQ(asked.beams, (BeamSettings{2, 2, EarlyStopping::kOn}));
  EXPECT_EQ(asked.no_repeat_ngram_size, 0);
}

}  // namespace
}  // namespace transformeter
