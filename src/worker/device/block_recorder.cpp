// Times are taken as the profiler takes them, so that they can be held against its spans.
#include "device/block_recorder.h"

#include <ATen/record_function.h>
#include <c10/util/ApproximateClock.h>
#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

struct Moment {
  c10::approx_time_t time;
  RecordedBlock block;
};

// The allocator takes no recorder, so what it reports to must be reachable without one.
struct Recording {
  std::atomic<bool> is_on{false};
  std::mutex mutex;
  std::vector<Moment> moments;  // has its room from the beginning
  bool is_full = false;
};

Recording& recording() {
  static Recording instance;
  return instance;
}

struct Recorded {
  std::vector<Moment> moments;
  bool is_full;
};

Recorded end_recording() {
  Recording& now = recording();
  const std::lock_guard lock(now.mutex);
  now.is_on = false;
  return {std::exchange(now.moments, {}), now.is_full};
}

}  // namespace

struct BlockRecorder::Clock {
  c10::ApproximateClockToUnixTimeConverter converter;
};

BlockRecorder::BlockRecorder(std::size_t most) : clock_(std::make_unique<Clock>()) {
  // Growing amid the blocks of tensors would take their places, so that large ones had to be paged in again each time.
  Recording& now = recording();
  const std::lock_guard lock(now.mutex);
  now.moments.reserve(most);
  now.is_full = false;
  now.is_on = true;
}

BlockRecorder::~BlockRecorder() {
  end_recording();
}

std::vector<RecordedBlock> BlockRecorder::stop() {
  const Recorded recorded = end_recording();
  const std::vector<Moment>& moments = recorded.moments;
  if (recorded.is_full) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("more than {} blocks of memory were allocated or freed, more than can be recorded; profile "
                            "fewer passes (--passes)",
                            moments.size()));
  }
  const auto nanoseconds = clock_->converter.makeConverter();
  std::vector<RecordedBlock> blocks;
  blocks.reserve(moments.size());
  for (const Moment& moment : moments) {
    blocks.push_back(moment.block);
    blocks.back().time_ns = nanoseconds(moment.time);
  }
  return blocks;
}

void record_block(const void* address, std::int64_t bytes) noexcept {
  Recording& now = recording();
  if (!now.is_on.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(now.mutex);
  if (!now.is_on) return;
  now.is_full = now.moments.size() == now.moments.capacity();
  if (now.is_full) return;
  now.moments.push_back({c10::getApproximateTime(),
                         {.thread = at::RecordFunction::currentThreadId(),
                          .address = reinterpret_cast<std::uintptr_t>(address),
                          .bytes = bytes}});
}

}  // namespace transformeter
