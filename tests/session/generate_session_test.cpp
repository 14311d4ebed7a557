// The worker's session in the scenario generate, on a tiny model of real form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/temporary_directory.h"
#include "fake_worker/session_client.h"
#include "measure/settled_products.h"
#include "schema/product_choice.h"
#include "session/session.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kModel = source_directory() / "tests/data/models/tiny-gpt2";

class GenerateSession : public testing::Test {
 protected:
  GenerateSession() : GenerateSession(make_channel_pair()) {}
  ~GenerateSession() override {
    client_.reset();
    server_.join();
  }
  static Json settings(std::int64_t prompt_length, std::int64_t new_tokens) {
    return {{"model", kModel.string()},
            {"task", "causal_lm"},
            {"scenario", "generate"},
            {"data", "synthetic"},
            {"prompt_length", prompt_length},
            {"new_tokens", new_tokens},
            {"limit", "all"},
            {"seed", 0},
            {"precision", "fp32"},
            {"attention", "sdpa"},
            {"device", "cpu"}};
  }
  // Of engine `fast`, in bf16.
  static Json narrow() {
    Json requested = settings(24, 6);
    requested["precision"] = "bf16";
    requested["fusion"] = "fused";
    requested["head_tokens"] = "needed";
    return requested;
  }

  // Has narrow() loaded with `kernel_for(rows)` for each product, as if another process had chosen it.
  void load_narrow(const std::function<std::string(std::int64_t rows)>& kernel_for) {
    KeptProducts kept = kept_products(context_);
    std::vector<ProductChoice> choices;
    const Json tried = client_->prepare(narrow()).effective;
    for (const Json& one : tried.at("linear_trials")) {
      auto choice = one.get<ProductChoice>();
      ASSERT_EQ(choice.size.uses.size(), 1U);
      choice.kernel = kernel_for(choice.size.uses.front().rows);
      choice.is_steady = true;
      choices.push_back(std::move(choice));
    }
    ASSERT_EQ(kept.keep(choices), std::nullopt);
    const Json loaded = client_->prepare(narrow()).effective;
    EXPECT_EQ(loaded.at("weights"), "plain");
    ASSERT_FALSE(loaded.at("linear_trials").empty());
    for (const Json& one : loaded.at("linear_trials")) {
      EXPECT_EQ(one.at("kept"), true);
      EXPECT_EQ(one.at("kernel"), kernel_for(one.at("uses").at(0).at("rows").get<std::int64_t>()));
    }
  }
  std::vector<float> logits() {
    EvaluateRequest request;
    request.outputs.emplace();
    return client_->evaluate(request).outputs.value().values;
  }

  SystemClock clock_;
  TemporaryDirectory cache_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share", cache_.path()};
  WorkerParts parts_ = builtin_parts();
  std::optional<SessionClient> client_;

 private:
  explicit GenerateSession(ChannelPair pair)
      : client_(std::in_place, std::move(pair.here)), server_([this, there = pair.there] {
          Channel channel(there);
          try {
            serve_session(channel, context_, parts_);
          } catch (const Error&) {  // a test that leaves early breaks the session off
          }
        }) {
    client_->expect(verb::kHello);
  }

  std::thread server_;
};

TEST_F(GenerateSession, EachRequestHasItsFirstTokenAndItsSteps) {
  const Prepared prepared = client_->prepare(settings(24, 6), clock_.now().time_since_epoch().count());
  EXPECT_EQ(prepared.effective.at("scenario"), "generate");
  EXPECT_EQ(prepared.effective.at("cycle").at("batches"), 8) << "eight prompts";
  EXPECT_EQ(prepared.effective.at("cycle").at("longest_sequence"), 24);

  const Warmed warmed = client_->warm();
  EXPECT_EQ(warmed.cycle_batches, 1);
  EXPECT_EQ(warmed.effective.at("precision"), "fp32");
  EXPECT_NE(warmed.effective.at("attention_kernel_prefill"), "none");
  EXPECT_NE(warmed.effective.at("attention_kernel_decode"), "none");
  EXPECT_EQ(warmed.effective.at("linear_kernel_decode"), "linear");
  EXPECT_EQ(find_series(warmed.series, "cache_bytes")->value.at(0),
            static_cast<double>(cache_bytes(open_checkpoint(kModel).config, 1, 24 + 6, 4)));
  for (const double start : find_series(warmed.series, "latency")->start_s) EXPECT_LT(start, 0);
  EXPECT_EQ(find_series(warmed.series, "decode_step")->value.size(), 2U * 5U);
  EXPECT_EQ(find_series(warmed.series, "sample_cpu_time")->value.size(), 2U);

  MeasureRequest request;
  request.exactly = 10;
  const auto measured = client_->measure(request);
  ASSERT_EQ(measured.all.size(), 4U);
  EXPECT_EQ(find_series(measured.all, "sample_cpu_time")->value.size(), 10U);
  const std::vector<double>& latency = measured.latency.value;
  const std::vector<double>& first = measured.all[1].value;
  const std::vector<double>& steps = measured.all[2].value;
  ASSERT_EQ(latency.size(), 10U);
  ASSERT_EQ(first.size(), 10U);
  ASSERT_EQ(steps.size(), 50U);
  for (std::size_t i = 0; i < 10; ++i) {
    const double decode = std::accumulate(steps.begin() + static_cast<std::ptrdiff_t>(5 * i),
                                          steps.begin() + static_cast<std::ptrdiff_t>(5 * i + 5), 0.0);
    EXPECT_NEAR(latency[i], first[i] + decode, 1e-9) << "phases sum up to the request, number " << i;
    EXPECT_EQ(measured.latency.index[i], static_cast<std::int64_t>(i % 8));
  }
  EXPECT_NE(find_series(measured.measured.series, "peak_allocated"), nullptr);
  const Evaluated evaluated = client_->evaluate();
  EXPECT_EQ(find_series(evaluated.series, "non_finite_outputs")->value.at(0), 0);
  client_->ask(bare_message(verb::kTeardown), verb::kTornDown);
}

// 32 prompts, more than are measured: of each the logits of the prefill, and of decode steps over its last tokens.
TEST_F(GenerateSession, LogitsAfterAPromptAreThoseOfAPassWithoutACache) {
  client_->prepare(settings(24, 6));
  EvaluateRequest request;
  request.outputs.emplace();
  const Outputs cached = client_->evaluate(request).outputs.value();
  EXPECT_EQ(cached.inputs.size(), 32U);
  EXPECT_EQ(cached.rows, std::vector<std::int64_t>(32, 2));
  request.outputs->plain = true;
  const Outputs plain = client_->evaluate(request).outputs.value();
  EXPECT_EQ(plain.inputs, cached.inputs);
  EXPECT_NE(plain.values, cached.values) << "another order of adding";
  ASSERT_EQ(plain.values.size(), cached.values.size());
  for (std::size_t i = 0; i < plain.values.size(); ++i) EXPECT_NEAR(plain.values[i], cached.values[i], 1e-4);
  request.outputs->inputs = {cached.inputs[20]};
  EXPECT_EQ(client_->evaluate(request).outputs.value().inputs, request.outputs->inputs);
}

// The choices of another process stand for those that are fast on another processor.
TEST_F(GenerateSession, PromptsAndStepsHaveKernelsOfTheirOwnInBf16) {
  std::set<std::int64_t> all_rows;
  load_narrow([&](std::int64_t rows) {
    all_rows.insert(rows);
    return rows == 1 ? "linear" : "widened";
  });
  EXPECT_THAT(all_rows, ElementsAre(1, 24));
  const Json effective = client_->warm().effective;
  EXPECT_EQ(effective.at("linear_kernel"), "widened");
  EXPECT_EQ(effective.at("linear_kernel_decode"), "linear");
  EXPECT_EQ(effective.at("precision"), "bf16");
  for (const char* types : {"linear_types", "linear_types_decode"}) {
    for (const Json& one : effective.at(types)) EXPECT_EQ(one.at("weight"), "bf16") << types << one;
  }
  EXPECT_TRUE(effective.at("null_reasons").contains("first_forward")) << "loading ran the model before";
}

TEST_F(GenerateSession, LogitsInBf16AreTheSameByEachChoiceOfKernels) {
  Json untried = narrow();
  untried["products"] = "onednn";
  EXPECT_FALSE(client_->prepare(untried).effective.contains("linear_trials"));
  const std::vector<float> expected = logits();
  const double largest = std::abs(
      *std::max_element(expected.begin(), expected.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
  for (const char* kernel : {"linear", "widened", "widened_onednn"}) {
    SCOPED_TRACE(kernel);
    load_narrow([&](std::int64_t) { return kernel; });
    const std::vector<float> values = logits();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(values[i], expected[i], 0.05 * largest);
  }
}

TEST_F(GenerateSession, NoStepIsTriedForOneNewToken) {
  Json requested = narrow();
  requested["new_tokens"] = 1;
  requested["head_tokens"] = "all";
  const Json effective = client_->prepare(requested).effective;
  const std::int64_t words = open_checkpoint(kModel).config.vocab_size;
  for (const Json& one : effective.at("linear_trials")) {
    const bool is_head = one.at("outputs") == words;
    EXPECT_EQ(one.at("uses").at(0).at("rows"), is_head ? 1 : 24) << one;
  }
  client_->warm(1);
  MeasureRequest request;
  request.exactly = 1;
  const Json measured = client_->measure(request).measured.effective;
  EXPECT_TRUE(measured.at("memory_forecast").at("kernels_known").get<bool>());
}

TEST_F(GenerateSession, NothingIsTriedInFp32OrInUnfusedProducts) {
  Json unfused = narrow(), wide = narrow();
  unfused["fusion"] = "none";
  wide["precision"] = "fp32";
  for (const Json& requested : {unfused, wide}) {
    EXPECT_FALSE(client_->prepare(requested).effective.contains("linear_trials")) << requested;
  }
}

TEST_F(GenerateSession, OneNewTokenHasNoStep) {
  client_->prepare(settings(8, 1));
  client_->warm(1);
  MeasureRequest request;
  request.exactly = 2;
  const auto measured = client_->measure(request);
  EXPECT_EQ(measured.latency.value, measured.all.at(1).value);
  EXPECT_TRUE(measured.all.at(2).value.empty());
}

TEST_F(GenerateSession, TooManyTokensAreAnUnsupportedShape) {
  PrepareRequest request;
  request.settings = settings(60, 5);
  const auto failed = from_message<Failed>(client_->ask(to_message(request), verb::kFailed));
  EXPECT_EQ(failed.status, Status::kUnsupportedShape);
  EXPECT_THAT(failed.reason, HasSubstr("add up to 65 tokens, more than the model's 64 positions"));
}

}  // namespace
}  // namespace transformeter
