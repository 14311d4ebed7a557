// Threads that run chunks in parallel, each with its own share of the CPU's cores and its own OpenMP team.
#pragma once

#include <ATen/ThreadLocalState.h>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace transformeter {

class StreamPool {
 public:
  /// `threads`: LibTorch's threads within each stream; both at least 1. LibTorch's count for other threads stays.
  /// Throws Error(kOutOfMemory) where the system has no thread to give.
  StreamPool(int streams, int threads);
  ~StreamPool();
  StreamPool(const StreamPool&) = delete;
  StreamPool& operator=(const StreamPool&) = delete;

  /// work(0) to work(count - 1), each once on some stream, taken in order; returns when the last is done. What one
  /// throws is thrown here, after the others have ended. Not for several callers at a time.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve(int threads);
  void end();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0, next_ = 0, left_ = 0;
  int ready_ = 0;
  std::exception_ptr failure_;
  std::optional<at::ThreadLocalState> observed_;  // the caller's, where a profiler watches it; nothing: none does
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace transformeter
