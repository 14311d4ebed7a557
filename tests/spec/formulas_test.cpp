// FLOPs from the inventory's own matrices, bytes by hand.
#include "spec/formulas.h"

#include "spec/architecture.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

TEST(WeightBytes, IsCountTimesElement) {
  const auto inventory = tensor_inventory(preset("distilbert-base"), Task::kSequenceClassification);
  EXPECT_EQ(weight_bytes(inventory, 4), 66'955'010 * 4);
  EXPECT_EQ(weight_bytes(inventory, 2), 66'955'010 * 2);
}

/// 2 operations for each weight of a matrix and each token it is applied to, plus QKᵀ and PV.
double flops_from_inventory(const ModelConfig& config, Task task, double batch, double length) {
  double flops = 0;
  for (const TensorSpec& tensor : tensor_inventory(config, task)) {
    const bool is_table = tensor.name.find("embed") != std::string::npos ||
                          tensor.name.find(".wte.") != std::string::npos ||
                          tensor.name.find(".wpe.") != std::string::npos;
    const bool is_decoder = !tensor.tied_name.empty();
    if (tensor.shape.size() < 2 || (is_table && !is_decoder)) continue;
    const bool is_head = tensor.name.find("classifier") != std::string::npos ||
                         tensor.name.find("pooler") != std::string::npos || tensor.name.starts_with("score");
    const bool one_token_only = head_of(task) == HeadKind::kSequenceClasses && is_head;
    flops += 2.0 * static_cast<double>(tensor.element_count()) * batch * (one_token_only ? 1 : length);
  }
  const Blueprint blueprint = draw_blueprint(config, task);
  for (const LayerSpec& layer : blueprint.layers) {
    flops += 4 * batch * length * length * static_cast<double>(layer.attention.heads * layer.attention.head_dim);
  }
  return flops;
}

TEST(ForwardFlops, EqualsTheSumOverTheInventory) {
  for (const char* name : {"bert-test", "bert-base", "distilbert-base", "roberta-base", "squeezebert", "gpt2",
                           "opt-125m", "llama-test", "qwen2.5-0.5b"}) {
    const ModelConfig config = preset(name);
    for (Task task : tasks_of(*config.architecture)) {
      EXPECT_DOUBLE_EQ(forward_flops(config, task, 8, 128), flops_from_inventory(config, task, 8, 128))
          << name << " " << name_of(task);
    }
  }
}

// Layers that share their weights compute as often as they are used.
TEST(ForwardFlops, SharedLayersCountEachTime) {
  const ModelConfig albert = preset("albert-base");
  const double c = 768, inner = 3072, t = 64;
  const double layer = t * (2 * 4 * c * c + 2 * 2 * c * inner) + 4 * t * t * c;
  EXPECT_DOUBLE_EQ(forward_flops(albert, Task::kEmbedding, 1, 64), 12 * layer + t * 2 * 128 * c);
}

TEST(ForwardFlops, OfRowsOfTheirOwnLengthsIsTheirSum) {
  const ModelConfig config = preset("bert-test");
  const double sum = forward_flops(config, Task::kTokenClassification, 2, 9) +
                     forward_flops(config, Task::kTokenClassification, 1, 128);
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kTokenClassification, std::vector<std::int64_t>{9, 128, 9}), sum);
  EXPECT_EQ(forward_flops(config, Task::kTokenClassification, std::vector<std::int64_t>{}), 0);
  EXPECT_THAT(
      message_of(ErrorKind::kBadInput, [&] { forward_flops(config, Task::kEmbedding, std::vector<std::int64_t>{0}); }),
      HasSubstr("sequence_length '0'"));
}

// Widths of t5-small: 512 in all of its 2 · 6 layers, 2048 within, 32,128 words.
TEST(ForwardFlops, OfADecoderCountItsOwnTokens) {
  const ModelConfig config = preset("t5-small");
  const double c = 512, inner = 2048, s = 10, t = 3;
  const double encoder = s * (4 * 2 * c * c + 2 * 2 * c * inner) + 4 * s * s * c;
  const double own = t * (4 * 2 * c * c + 2 * 2 * c * inner) + 4 * t * t * c;
  const double cross = t * 2 * 2 * c * c + s * 2 * 2 * c * c + 4 * t * s * c;
  const double expected = 6 * (encoder + own + cross) + t * 2 * c * 32128;
  const std::vector<std::int64_t> rows{10}, targets{3};
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kSeq2SeqLm, rows, targets), expected);
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kSeq2SeqLm, rows, rows), forward_flops(config, Task::kSeq2SeqLm, rows));
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kEmbedding, rows, targets), 6 * encoder) << "which reads no target";
}

// DistilBERT's tables of 30,522 words and 512 positions are looked up, all else is multiplied with.
TEST(WeightsReadWhole, LeavesLookUpTablesOut) {
  const ModelConfig config = preset("distilbert-base");
  EXPECT_EQ(weights_read_whole(config, Task::kSequenceClassification), 66'955'010 - (30'522 + 512) * 768);
}

TEST(WeightsReadWhole, CountsATableThatIsTheHeadsMatrix) {
  const ModelConfig gpt2 = preset("gpt2");
  const std::int64_t words = gpt2.vocab_size * gpt2.hidden_size;
  EXPECT_EQ(weights_read_whole(gpt2, Task::kCausalLm) - weights_read_whole(gpt2, Task::kEmbedding), words);
}

// Twelve layers that share their weights read them from memory once at least.
TEST(WeightsReadWhole, CountsSharedLayersOnce) {
  EXPECT_LT(weights_read_whole(preset("albert-base"), Task::kEmbedding), 12'000'000);
}

TEST(CacheBytes, AreKeysAndValuesOfEveryLayer) {
  // 24 layers, 2 of 14 heads hold keys and values, 64 wide; 2 bytes.
  EXPECT_EQ(cache_bytes(preset("qwen2.5-0.5b"), 4, 1000, 2), 4LL * 1000 * 24 * 2 * 2 * 64 * 2);
  EXPECT_EQ(cache_bytes(preset("bert-base"), 4, 1000, 2), 0);
}

TEST(ForwardFlops, RefusesShapesBelowOne) {
  const ModelConfig config = preset("bert-test");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { forward_flops(config, Task::kEmbedding, 0, 4); }),
              HasSubstr("batch '0'"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { forward_flops(config, Task::kEmbedding, 1, -3); }),
              HasSubstr("sequence_length '-3'"));
}

TEST(ForwardFlops, OfAnImageAreThoseOfItsPatchesAndTheirRow) {
  const ModelConfig vit = preset("vit-base");
  ASSERT_EQ(vit.max_length, 14 * 14 + 1);
  const double t = 197, c = 768, patches = 196, layer = t * (8 * c * c + 16 * c * c) + 4 * t * t * c;
  EXPECT_DOUBLE_EQ(forward_flops(vit, Task::kImageEmbedding, 1, 197), 12 * layer + patches * 2 * (3 * 16 * 16) * c);
  EXPECT_DOUBLE_EQ(forward_flops(vit, Task::kImageClassification, 2, 197),
                   2 * (12 * layer + patches * 2 * (3 * 16 * 16) * c + 2 * c * 1000));
}

}  // namespace
}  // namespace transformeter
