// What LibTorch's CPU tensors allocate and free, one moment for each block, while somebody asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transformeter {

struct RecordedBlock {
  std::int64_t time_ns = 0;   // since 1970, by the clock of LibTorch's profiler
  std::uint64_t thread = 0;   // as LibTorch's profiler numbers them
  std::uint64_t address = 0;  // of the block, for as long as it lives
  std::int64_t bytes = 0;     // as the allocator rounds them; negative: freed
};

/// Records from its beginning to `stop`; one at a time in a process. The counting allocator must be installed, since it
/// reports to the recorder.
class BlockRecorder {
 public:
  static constexpr std::size_t kMostMoments = 4 << 20;

  /// Memory for `most` moments is taken at once.
  explicit BlockRecorder(std::size_t most = kMostMoments);
  ~BlockRecorder();
  BlockRecorder(const BlockRecorder&) = delete;
  BlockRecorder& operator=(const BlockRecorder&) = delete;

  /// In the order in which they happened. Throws Error(kUnsupported) where there were more than that.
  std::vector<RecordedBlock> stop();

 private:
  struct Clock;
  std::unique_ptr<Clock> clock_;
};

/// For the allocator: thread-safe, and nearly free where nobody records.
void record_block(const void* address, std::int64_t bytes) noexcept;

}  // namespace transformeter
