// What is recorded, in which order, and what happens where there is no room.
#include "device/block_recorder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "device/counting_allocator.h"

namespace transformeter {
namespace {

TEST(BlockRecorder, KeepsWhatTensorsAllocateAndFree) {
  install_counting_allocator();
  const at::Tensor before = at::zeros({4096}, at::kByte);
  BlockRecorder recorder;
  { const at::Tensor one = at::empty({1 << 20}, at::kByte); }
  std::thread([] { const at::Tensor two = at::empty({1 << 21}, at::kByte); }).join();
  const std::vector<RecordedBlock> blocks = recorder.stop();
  { const at::Tensor after = at::empty({4096}, at::kByte); }
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_GE(blocks[0].bytes, 1 << 20);
  EXPECT_EQ(blocks[1].bytes, -blocks[0].bytes);
  EXPECT_EQ(blocks[1].address, blocks[0].address);
  EXPECT_GE(blocks[2].bytes, 1 << 21);
  EXPECT_NE(blocks[2].thread, blocks[0].thread);
  EXPECT_LE(blocks[0].time_ns, blocks[1].time_ns);
  EXPECT_TRUE(recorder.stop().empty());
}

TEST(BlockRecorder, SaysThatItHadNoRoom) {
  BlockRecorder recorder(2);
  for (int i = 0; i < 3; ++i) record_block(&recorder, 8);
  EXPECT_THROW(recorder.stop(), Error);
  BlockRecorder next(2);
  record_block(&next, 8);
  EXPECT_EQ(next.stop().size(), 1U);
}

TEST(BlockRecorder, EndsWithItsScope) {
  { const BlockRecorder recorder(1); }
  for (int i = 0; i < 3; ++i) record_block(nullptr, 8);
  BlockRecorder next(1);
  EXPECT_TRUE(next.stop().empty());
}

}  // namespace
}  // namespace transformeter
