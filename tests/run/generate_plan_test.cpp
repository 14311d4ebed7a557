// Plans of the scenario generate: which settings a request keeps, and what is impossible.
#include <gmock/gmock.h>

#include "base/error.h"
#include "run/expand.h"
#include "run/identity.h"
#include "run/implied.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

class GeneratePlan : public testing::Test {
 protected:
  GeneratePlan() {
    plan_.apply_flag("model", "llama-test");
    plan_.apply_flag("scenario", "generate");
    plan_.apply_flag("prompt_length", "16");
    plan_.apply_flag("new_tokens", "4");
    options_.capabilities.values = {{"precision", {"fp32"}}, {"device", {"cpu"}}};
    options_.capabilities.native = {{"precision", {"fp32"}}};
  }
  std::vector<PlannedCase> cases() { return expand(plan_, options_, describer_); }

  std::string error() {
    try {
      cases();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "no error";
  }

  Plan plan_;
  ExpandOptions options_;
  Describer describer_{source_directory() / "share"};
};

TEST_F(GeneratePlan, ARequestKeepsNothingOfBatches) {
  const auto one = cases();
  ASSERT_EQ(one.size(), 1U) << "the default batch sizes and lengths are no axes of requests";
  const Json& requested = one[0].record.requested;
  for (const char* name : {"batch_size", "sequence_length", "attention_mask", "padding"}) {
    EXPECT_FALSE(requested.contains(name)) << name;
  }
  EXPECT_EQ(requested["prompt_length"], 16);
  EXPECT_EQ(one[0].record.status, std::nullopt) << one[0].record.status_reason;
  EXPECT_EQ(one[0].workload["prompts"], 8);
}

TEST_F(GeneratePlan, BothScenariosMakeNoDuplicates) {
  plan_.apply_flag("scenario", "batch,generate");
  plan_.apply_flag("batch_size", "1,4");
  plan_.apply_flag("sequence_length", "16,natural");
  plan_.apply_flag("attention_mask", "on,off");
  plan_.apply_flag("new_tokens", "4,8");
  std::size_t batches = 0;
  std::size_t requests = 0;
  for (const PlannedCase& one : cases()) {
    const Json& requested = one.record.requested;
    const bool is_request = requested.at("scenario") == "generate";
    EXPECT_NE(requested.contains("batch_size"), is_request);
    EXPECT_EQ(requested.contains("new_tokens"), is_request);
    EXPECT_EQ(one.workload.contains("prompts"), is_request);
    ++(is_request ? requests : batches);
  }
  EXPECT_EQ(batches, 8U);
  EXPECT_EQ(requests, 2U);
}

TEST_F(GeneratePlan, SettingsOfTheOtherScenarioAreBadInput) {
  plan_.apply_flag("batch_size", "8");
  EXPECT_THAT(error(), HasSubstr("batch_size only applies to scenarios batch, offline and train"));
  plan_ = Plan();
  plan_.apply_flag("model", "llama-test");
  plan_.apply_flag("task", "causal_lm");
  plan_.apply_flag("new_tokens", "8");
  EXPECT_THAT(error(), HasSubstr("new_tokens only applies to scenario generate"));
}

// What cuts a batch into parts and spreads them has nothing to cut in one row.
TEST_F(GeneratePlan, AnEnginesBatchingIsNoneOfRequests) {
  options_.capabilities.engines["fast"] = {{"weights", "prepacked"},
                                           {"fusion", "fused"},
                                           {"batching", "packed"},
                                           {"streams", "threads"},
                                           {"chunk_tokens", 512}};
  options_.capabilities.conflicts = {{{{"batching", {"packed"}}}, "packed rows have no cache"}};
  plan_.apply_flag("engine", "fast");
  const auto one = cases();
  ASSERT_EQ(one.size(), 1U);
  const Json& requested = one[0].record.requested;
  for (const char* name : {"batching", "bucket_window", "streams", "chunk_tokens"}) {
    EXPECT_FALSE(requested.contains(name)) << name;
  }
  EXPECT_EQ(requested.at("weights"), "prepacked");
  EXPECT_EQ(requested.at("fusion"), "fused");
  EXPECT_EQ(one[0].record.status, std::nullopt) << one[0].record.status_reason;
  plan_.apply_flag("streams", "2");
  EXPECT_THAT(error(), HasSubstr("streams only applies to scenarios batch and offline"));
}

TEST_F(GeneratePlan, PromptAndNewTokensFitTheModelsPositionsTogether) {
  const std::int64_t positions = describer_.model("llama-test").config.max_length;
  plan_.apply_flag("prompt_length", std::to_string(positions - 4) + "," + std::to_string(positions - 3));
  const auto both = cases();
  EXPECT_EQ(both[0].record.status, std::nullopt);
  EXPECT_EQ(both[1].record.status, Status::kUnsupportedShape);
  EXPECT_THAT(both[1].record.status_reason, HasSubstr("add up to " + std::to_string(positions + 1)));
  EXPECT_THAT(both[1].record.status_reason, HasSubstr(std::to_string(positions) + " positions"));
}

TEST_F(GeneratePlan, OnlyCausalModelsMakeText) {
  plan_.apply_flag("task", "causal_lm,embedding");
  plan_.apply_flag("model", "llama-test,bert-test");
  const auto all = cases();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].record.status, std::nullopt);
  EXPECT_EQ(all[1].record.status, Status::kUnsupported);
  EXPECT_EQ(all[2].record.status, Status::kUnsupported) << "bert-test has no causal head";
  EXPECT_EQ(all[3].record.status, Status::kUnsupported);
  EXPECT_THAT(all[3].record.status_reason, HasSubstr("task embedding does not generate text"));
}

TEST_F(GeneratePlan, MoreTokensCostMore) {
  plan_.apply_flag("prompt_length", "64,16");
  plan_.apply_flag("new_tokens", "32,4");
  EXPECT_EQ(cheapest_first(cases()), (std::vector<std::size_t>{3, 2, 1, 0}))
      << "16+4, 16+32, 64+4, 64+32: a token costs about the same in either phase";
}

TEST_F(GeneratePlan, BeamsAreOtherWork) {
  const std::vector<PlannedCase> greedy = cases();
  plan_.apply_flag("num_beams", "1,4");
  const std::vector<PlannedCase> both = cases();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].asked.num_beams, 1);
  EXPECT_EQ(both[1].asked.num_beams, 4);
  EXPECT_FALSE(both[0].workload.contains("num_beams")) << "as before there were beams";
  EXPECT_NE(workload_key(both[1].workload, {}), workload_key(greedy[0].workload, {}));
  EXPECT_GT(both[1].cost, 1.3 * both[0].cost) << "16 + 3 · 4 tokens for 16 + 3";
  EXPECT_TRUE(needs_more_memory(both[1].record.requested, both[0].record.requested));
}

TEST_F(GeneratePlan, BatchesHaveNoBeams) {
  EXPECT_THROW(plan_.apply_flag("num_beams", "2000"), Error);
  plan_ = Plan();
  plan_.apply_flag("model", "llama-test");
  plan_.apply_flag("num_beams", "4");
  EXPECT_THAT(error(), HasSubstr("num_beams only applies to scenario generate; no case in the plan matches"));
}

TEST_F(GeneratePlan, MoreBeamsThanTheVocabularyHasCandidatesForAreUnsupported) {
  plan_.apply_flag("num_beams", "1024");
  plan_.apply_flag("model", (source_directory() / "tests/data/models/tiny-llama").string());
  const std::vector<PlannedCase> one = cases();
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].record.status, Status::kUnsupported);
  EXPECT_THAT(one[0].record.status_reason, HasSubstr("num_beams 1024 needs a vocabulary of 2048 tokens or more"));
}

TEST_F(GeneratePlan, LongerRequestsNeedMoreMemory) {
  const Json small{{"scenario", "generate"}, {"prompt_length", 64}, {"new_tokens", 8}};
  Json large = small;
  large["new_tokens"] = 16;
  EXPECT_TRUE(needs_more_memory(large, small));
  EXPECT_FALSE(needs_more_memory(small, large));
  large["prompt_length"] = 32;
  EXPECT_FALSE(needs_more_memory(large, small));
  EXPECT_FALSE(needs_more_memory({{"scenario", "batch"}, {"batch_size", 1}, {"sequence_length", 512}}, small));
  CaseRecord record;
  record.id = "c03";
  record.requested = small;
  EXPECT_EQ(implied_reason(record), "case c03 (prompt length 64, new tokens 8) ran out of memory");
}

TEST_F(GeneratePlan, KeysOfBatchesDoNotKnowTheScenario) {
  const Json before{{"batch_size", 1}};
  const Json now{{"batch_size", 1}, {"scenario", "batch"}};
  EXPECT_EQ(case_key("w", before, Json::object(), {}), case_key("w", now, Json::object(), {}));
  EXPECT_NE(case_key("w", before, Json::object(), {}), case_key("w", {{"scenario", "generate"}}, Json::object(), {}));
}

}  // namespace
}  // namespace transformeter
