// Requests as they are measured: each with a cache of its own, greedy, and as long as asked for.
#include <gtest/gtest.h>

#include <ATen/ops/zeros.h>

#include "engine/inference_engine.h"

namespace transformeter {
namespace {

constexpr std::int64_t kVocabulary = 10;

struct Pass {
  std::int64_t tokens = 0;  // that go through the model
  std::int64_t cached = 0;  // before them
};

// Notes what it is asked, fills one layer's cache, and says that the token after n tokens is n mod 10.
class NotingModel final : public Model {
 public:
  explicit NotingModel(std::vector<Pass>& passes) : passes_(passes) {}

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    const std::int64_t tokens = inputs.input_ids.size(1);
    passes_.push_back({tokens, inputs.cache->length()});
    const at::Tensor column = at::zeros({1, 2, tokens, 4});
    inputs.cache->append(0, column, column);
    inputs.cache->advance(tokens);
    at::Tensor logits = at::zeros({1, 1, kVocabulary});
    logits[0][0][inputs.cache->length() % kVocabulary] = 1.0F;
    return logits;
  }

 private:
  std::vector<Pass>& passes_;
};

class GreedyRequests : public testing::Test {
 protected:
  std::vector<std::int64_t> ask(std::int64_t new_tokens) const {
    Batch prompt;
    prompt.batch_size = 1;
    prompt.sequence_length = 7;
    prompt.input_ids = {1, 2, 3, 4, 5, 6, 7};
    prompt.attention_mask.assign(7, 1);
    prompt.token_type_ids.assign(7, 0);
    const std::unique_ptr<GenerationRequest> request = engine_.start(engine_.stage(prompt), new_tokens);
    EXPECT_EQ(request->cache().length(), 0) << "a request begins with an empty cache";
    std::vector<std::int64_t> ids{request->first_token()};
    while (static_cast<std::int64_t>(ids.size()) < new_tokens) ids.push_back(request->next_token());
    cache_bytes_ = request->cache().bytes();
    return ids;
  }

  mutable std::vector<Pass> passes_;
  mutable std::int64_t cache_bytes_ = 0;
  std::unique_ptr<Device> device_ = make_device("cpu");
  InferenceEngine engine_{std::make_unique<NotingModel>(passes_), EngineOptions{}, *device_};
};

TEST_F(GreedyRequests, ASecondOneWithTheSamePromptTakesTheWholePrefill) {
  for (int request = 0; request < 2; ++request) {
    passes_.clear();
    ask(3);
    ASSERT_EQ(passes_.size(), 3U);
    EXPECT_EQ(passes_[0].tokens, 7);
    EXPECT_EQ(passes_[0].cached, 0);
    EXPECT_EQ(passes_[1].tokens, 1);
    EXPECT_EQ(passes_[1].cached, 7);
    EXPECT_EQ(passes_[2].cached, 8);
  }
}

TEST_F(GreedyRequests, NoEndTokenEndsThem) {
  // 7 tokens, then 8, 9, 10, ...: the ids 7, 8, 9, 0, ..., 3 among them, whatever a model calls its end.
  EXPECT_EQ(ask(12), (std::vector<std::int64_t>{7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(GreedyRequests, TheCacheHasRoomForPromptAndNewTokens) {
  ask(3);
  EXPECT_EQ(cache_bytes_, 2 * 2 * (7 + 3) * 4 * 4) << "keys and values of 2 heads, 10 tokens, 4 numbers of 4 bytes";
}

}  // namespace
}  // namespace transformeter
