// What a sequence's outputs must not depend on: padding, the rows beside it, and how the batch is cut. Bounds are of
// the largest difference, against the spread of the outputs.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

#include "device/device.h"
#include "device/runtime.h"
#include "engine/capabilities.h"
#include "engine/inference_engine.h"
#include "engine/linear_factories.h"
#include "model/registry.h"
#include "spec/architecture.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t kPad = 0;

Batch padded(const Rows& rows, std::int64_t length) {
  Batch batch;
  batch.batch_size = static_cast<std::int64_t>(rows.size());
  batch.sequence_length = length;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto used = static_cast<std::int64_t>(rows[row].size());
    batch.input_ids.insert(batch.input_ids.end(), rows[row].begin(), rows[row].end());
    batch.input_ids.insert(batch.input_ids.end(), static_cast<std::size_t>(length - used), kPad);
    batch.attention_mask.insert(batch.attention_mask.end(), rows[row].size(), 1);
    batch.attention_mask.insert(batch.attention_mask.end(), static_cast<std::size_t>(length - used), 0);
    batch.useful_tokens += used;
    batch.example_index.push_back(row);
  }
  batch.token_type_ids.assign(batch.input_ids.size(), 0);
  batch.processed_tokens = batch.batch_size * length;
  batch.has_padding = batch.useful_tokens < batch.processed_tokens;
  return batch;
}

Rows some_rows() {
  Rows rows;
  for (const std::int64_t length : {5, 12, 1, 12, 7}) {
    rows.emplace_back();
    for (std::int64_t i = 0; i < length; ++i) {
      rows.back().push_back(1 + (i * 31 + static_cast<std::int64_t>(rows.size()) * 17) % 100);
    }
  }
  return rows;
}

std::int64_t longest(const Rows& rows) {
  std::size_t length = 0;
  for (const auto& row : rows) length = std::max(length, row.size());
  return static_cast<std::int64_t>(length);
}

struct Way {
  const char* name;
  const char* precision;
  bool prepacked, fused, packed;
  std::int64_t streams;
  std::optional<std::int64_t> chunk_tokens;
  double bound;  // of |difference| / spread
};
// fp32: rounding in another order. bf16: 8 bits. int8: a row's scale goes by the row alone.
const std::vector<Way>& ways() {
  static const std::vector<Way> kWays = {{"plain", "fp32", false, false, false, 1, std::nullopt, 1e-5},
                                         {"chunks", "fp32", true, true, false, 2, 8, 1e-5},
                                         {"packed", "fp32", true, true, true, 2, 16, 1e-5},
                                         {"bf16", "bf16", true, true, true, 2, 16, 0.05},
                                         {"fp16", "fp16", true, true, true, 2, 16, 0.02},
                                         {"int8", "int8", false, true, true, 2, 16, 0.05},
                                         {"packed int8", "int8", true, true, true, 2, 16, 0.05},
                                         {"int8 weights", "int8_weight_only", false, true, true, 2, 16, 0.05}};
  return kWays;
}

// oneDNN packs 16 bits only for processors that have instructions for them.
bool can_run(const Way& way) {
  return !way.prepacked ||
         !inference_capabilities().why_not_together({{"precision", way.precision}, {"weights", "prepacked"}});
}

/// A model that computes in one way.
class Runner {
 public:
  Runner(const char* model, const Way& way, Task task) {
    ModelRegistry registry;
    register_builtin_models(registry);
    Checkpoint checkpoint = open_checkpoint(source_directory() / "tests/data/models" / model);
    const ModelConfig config = checkpoint.config;
    EngineOptions options;
    options.type = activation_type_of(way.precision);
    options.packed = way.packed;
    options.fused = way.fused;
    options.needed_tokens = way.fused;
    options.streams = way.streams;
    options.chunk_tokens = way.chunk_tokens;
    parameters_ = checkpoint_parameters(std::move(checkpoint), task, options.type);
    parameters_.use_linears(make_linears({way.precision, way.prepacked, way.fused}));
    engine_ = std::make_unique<InferenceEngine>(registry.make(config, task, parameters_), options, *device_);
  }

  /// Of each row alone: [its tokens, ...] or [...].
  std::vector<at::Tensor> outputs(const Batch& batch) const {
    const at::Tensor output = engine_->forward(engine_->stage(batch)).to(at::kFloat);
    std::vector<at::Tensor> rows;
    for (std::int64_t row = 0; row < batch.batch_size; ++row) {
      const auto mask = batch.attention_mask.begin() + row * batch.sequence_length;
      const std::int64_t used = std::count(mask, mask + batch.sequence_length, std::uint8_t{1});
      rows.push_back(output.dim() == 3 ? output.select(0, row).slice(0, 0, used).clone()
                                       : output.select(0, row).clone());
    }
    return rows;
  }

 private:
  std::unique_ptr<Device> device_ = make_device("cpu");
  Parameters parameters_;
  std::unique_ptr<InferenceEngine> engine_;
};

class Invariance : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { at::set_num_threads(2); }  // two streams need them, whatever the machine has

  std::vector<Task> tasks() const {
    const bool is_causal = std::string(GetParam()) == "tiny-llama";
    return {Task::kSequenceClassification, is_causal ? Task::kCausalLm : Task::kQuestionAnswering};
  }
};

void expect_near(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected, double bound) {
  ASSERT_EQ(found.size(), expected.size());
  double spread = 0;
  for (const at::Tensor& row : expected) spread = std::max(spread, row.abs().max().item<double>());
  for (std::size_t row = 0; row < found.size(); ++row) {
    ASSERT_EQ(found[row].sizes(), expected[row].sizes());
    EXPECT_LE((found[row] - expected[row]).abs().max().item<double>(), bound * spread) << "row " << row;
  }
}

TEST_P(Invariance, PaddingChangesNoOutput) {
  const Rows rows = some_rows();
  for (const Way& way : ways()) {
    if (!can_run(way)) continue;
    for (Task task : tasks()) {
      SCOPED_TRACE(std::string(way.name) + " " + std::string(name_of(task)));
      const Runner runner(GetParam(), way, task);
      expect_near(runner.outputs(padded(rows, longest(rows) + 8)), runner.outputs(padded(rows, longest(rows))),
                  way.bound);
    }
  }
}

TEST_P(Invariance, TheRowsBesideASequenceChangeNoOutput) {
  const Rows rows = some_rows();
  for (const Way& way : ways()) {
    if (!can_run(way)) continue;
    for (Task task : tasks()) {
      SCOPED_TRACE(std::string(way.name) + " " + std::string(name_of(task)));
      const Runner runner(GetParam(), way, task);
      const std::vector<at::Tensor> together = runner.outputs(padded(rows, longest(rows)));
      std::vector<at::Tensor> alone;
      for (const auto& row : rows) {
        alone.push_back(runner.outputs(padded({row}, static_cast<std::int64_t>(row.size()))).front());
      }
      expect_near(together, alone, way.bound);
    }
  }
}

TEST_P(Invariance, HowABatchIsCutChangesNoOutput) {
  const Rows rows = some_rows();
  for (const Way& way : ways()) {
    if (!can_run(way)) continue;
    if (way.streams == 1 && !way.chunk_tokens) continue;
    Way whole = way;
    whole.streams = 1;
    whole.chunk_tokens = std::nullopt;
    for (Task task : tasks()) {
      SCOPED_TRACE(std::string(way.name) + " " + std::string(name_of(task)));
      const Batch batch = padded(rows, longest(rows));
      expect_near(Runner(GetParam(), way, task).outputs(batch), Runner(GetParam(), whole, task).outputs(batch),
                  way.bound);
    }
  }
}

std::string name_of(const testing::TestParamInfo<const char*>& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, Invariance,
                         testing::Values("tiny-bert", "tiny-distilbert", "tiny-roberta", "tiny-llama"), name_of);

}  // namespace
}  // namespace transformeter
