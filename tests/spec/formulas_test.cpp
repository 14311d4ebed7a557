// FLOPs from the inventory's own matrices, bytes by hand.
#include "spec/formulas.h"

#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

TEST(WeightBytes, IsCountTimesElement) {
  const auto inventory = tensor_inventory(preset("distilbert-base"), "sequence_classification");
  EXPECT_EQ(weight_bytes(inventory, 4), 66'955'010 * 4);
  EXPECT_EQ(weight_bytes(inventory, 2), 66'955'010 * 2);
}

/// 2 operations for each weight of a matrix and each token it is applied to, plus QKᵀ and PV.
double flops_from_inventory(const ModelConfig& config, const std::string& task, double batch, double length) {
  double flops = 0;
  for (const TensorSpec& tensor : tensor_inventory(config, task)) {
    const bool embedding = tensor.name.find("embeddings.") != std::string::npos;
    const bool decoder = !tensor.tied_name.empty();
    if (tensor.shape.size() != 2 || (embedding && !decoder)) continue;
    const bool first_token_only =
        task == "sequence_classification" &&
        (tensor.name.find("classifier") != std::string::npos || tensor.name.find("pooler") != std::string::npos);
    flops += 2.0 * static_cast<double>(tensor.element_count()) * batch * (first_token_only ? 1 : length);
  }
  const double scores = 2.0 * length * length * static_cast<double>(config.hidden_size);
  return flops + static_cast<double>(config.num_layers) * batch * 2 * scores;
}

TEST(ForwardFlops, EqualsTheSumOverTheInventory) {
  for (const char* name : {"bert-test", "bert-base", "distilbert-base"}) {
    for (const std::string& task : encoder_tasks()) {
      EXPECT_DOUBLE_EQ(forward_flops(preset(name), task, 8, 128), flops_from_inventory(preset(name), task, 8, 128))
          << name << " " << task;
    }
  }
}

TEST(ForwardFlops, RefusesShapesBelowOneAndUnknownTasks) {
  const ModelConfig config = preset("bert-test");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { forward_flops(config, "embedding", 0, 4); }),
              HasSubstr("batch '0'"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { forward_flops(config, "embedding", 1, -3); }),
              HasSubstr("sequence_length '-3'"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { forward_flops(config, "poetry", 1, 1); }),
              HasSubstr("task 'poetry'"));
}

}  // namespace
}  // namespace transformeter
