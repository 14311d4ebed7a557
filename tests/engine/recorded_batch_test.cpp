// Passes recorded and replayed, and inputs that travel, on a device that the CPU computes for.
#include "engine/recorded_batch.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/fake_gpu.h"
#include "engine/batch_transfers.h"

namespace transformeter {
namespace {

// A model whose answers are its inputs, and other ones from its second pass on where it is fickle.
class Echo final : public Model {
 public:
  explicit Echo(bool is_fickle) : is_fickle_(is_fickle) {}
  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    ++passes_;
    return inputs.input_ids.to(at::kFloat) * (is_fickle_ && passes_ > 1 ? 2 : 1);
  }

 private:
  bool is_fickle_;
  mutable int passes_ = 0;
};

Batch small_batch() {
  Batch batch;
  batch.batch_size = 2;
  batch.sequence_length = 2;
  batch.input_ids = {1, 2, 3, 4};
  batch.attention_mask = {1, 1, 1, 1};
  batch.token_type_ids = {0, 0, 0, 0};
  batch.example_index = {0, 1};
  batch.useful_tokens = batch.processed_tokens = 4;
  return batch;
}

TEST(RecordedBatch, ReplaysOverTheSameInputs) {
  FakeGpu gpu(0);
  const InferenceEngine engine(std::make_unique<Echo>(false), {}, gpu);
  const StagedBatch batch = engine.stage(small_batch());
  RecordedBatch recorded(engine, batch, gpu);
  EXPECT_EQ(recorded.difference(), 0);
  const c10::InferenceMode guard;
  batch.inputs.input_ids.select(0, 0).fill_(7);
  EXPECT_EQ(recorded.launch().select(0, 0).sum().item<float>(), 14) << "the pass reads where it read";
}

TEST(RecordedBatch, RefusesAReplayThatAnswersOtherwise) {
  FakeGpu gpu(0);
  const InferenceEngine engine(std::make_unique<Echo>(true), {}, gpu);
  const StagedBatch batch = engine.stage(small_batch());
  try {
    const RecordedBatch recorded(engine, batch, gpu);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("outputs of the replayed graph differ by 1 of the largest"));
  }
}

TEST(RecordedBatch, IsUnsupportedWhereADeviceRecordsNothing) {
  const std::unique_ptr<Device> cpu = make_device("cpu");
  const InferenceEngine engine(std::make_unique<Echo>(false), {}, *cpu);
  const StagedBatch batch = engine.stage(small_batch());
  EXPECT_THROW(RecordedBatch(engine, batch, *cpu), Error);
}

TEST(BatchTransfers, BringInputsAndTakeOutputs) {
  FakeGpu gpu(0);
  const InferenceEngine engine(std::make_unique<Echo>(false), {}, gpu);
  StagedBatch batch = engine.stage(small_batch());
  BatchTransfers transfers(batch, gpu);
  const c10::InferenceMode guard;
  batch.inputs.input_ids.zero_();
  transfers.upload();
  transfers.download(engine.forward(batch));
  EXPECT_EQ(transfers.result().sum().item<float>(), 10);
}

}  // namespace
}  // namespace transformeter
