// The wrapper keeps LibTorch's allocator, and so its alignment and speed, and only swaps the deleter. The size of a
// block comes from malloc itself, so no header is needed and allocation and release agree.
#include "device/counting_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <atomic>

#include "device/block_recorder.h"

namespace transformeter {
namespace {

// LibTorch's deleter takes no closure, so what it updates must be reachable without one.
struct Counter {
  std::atomic<std::int64_t> live{0};
  std::atomic<std::int64_t> peak{0};

  void add(std::int64_t bytes) {
    const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  }
};

Counter& counter() {
  static Counter instance;
  return instance;
}

c10::Allocator* wrapped_allocator = nullptr;
c10::DeleterFnPtr wrapped_deleter = nullptr;

void counted_delete(void* block) {
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(block));
  counter().add(-bytes);
  record_block(block, -bytes);
  wrapped_deleter(block);
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr data = wrapped_allocator->allocate(bytes);
    // Data and context are one for LibTorch's CPU allocator; a pointer that is not so is left as it is, uncounted.
    if (data.get() != nullptr && data.get_deleter() == wrapped_deleter && data.get_context() == data.get()) {
      const auto usable = static_cast<std::int64_t>(malloc_usable_size(data.get()));
      counter().add(usable);
      [[maybe_unused]] const bool exchanged = data.compare_exchange_deleter(wrapped_deleter, &counted_delete);
      record_block(data.get(), usable);
    }
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return &counted_delete; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
};

}  // namespace

void install_counting_allocator() {
  if (wrapped_allocator != nullptr) return;
  static CountingAllocator allocator;
  wrapped_allocator = c10::GetCPUAllocator();
  wrapped_deleter = wrapped_allocator->raw_deleter();
  constexpr std::uint8_t kHighestPriority = 255;
  c10::SetCPUAllocator(&allocator, kHighestPriority);
}

std::int64_t allocated_bytes() {
  return counter().live.load(std::memory_order_relaxed);
}
std::int64_t peak_allocated_bytes() {
  return counter().peak.load(std::memory_order_relaxed);
}
void reset_peak_allocated_bytes() {
  counter().peak.store(allocated_bytes(), std::memory_order_relaxed);
}

}  // namespace transformeter
