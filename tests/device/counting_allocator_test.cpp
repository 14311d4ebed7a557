// The counter against tensors of known size.
#include "device/counting_allocator.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

// malloc may round a block up to its next size class; a page is a generous bound.
constexpr std::int64_t kRounding = 4096;

TEST(CountingAllocator, CountsLiveBytesAndThePeak) {
  install_counting_allocator();
  reset_peak_allocated_bytes();
  const std::int64_t before = allocated_bytes();
  constexpr std::int64_t kBytes = 4 << 20;
  {
    const at::Tensor first = at::empty({kBytes / 4}, at::kFloat);
    EXPECT_NEAR(allocated_bytes() - before, kBytes, kRounding);
    const at::Tensor second = at::empty({kBytes}, at::kByte);
    EXPECT_NEAR(allocated_bytes() - before, 2 * kBytes, 2 * kRounding);
  }
  EXPECT_EQ(allocated_bytes(), before) << "what was allocated is released and counted so";
  EXPECT_NEAR(peak_allocated_bytes() - before, 2 * kBytes, 2 * kRounding);
  reset_peak_allocated_bytes();
  EXPECT_EQ(peak_allocated_bytes(), before);
}

TEST(CountingAllocator, KeepsLibTorchsAlignment) {
  install_counting_allocator();
  for (const std::int64_t size : {1, 63, 64, 1000, 100000}) {
    const at::Tensor tensor = at::empty({size}, at::kByte);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64, 0U);
  }
}

}  // namespace
}  // namespace transformeter
