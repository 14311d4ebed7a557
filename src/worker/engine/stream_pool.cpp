// A counter under a mutex hands out the chunks; a chunk takes milliseconds, the mutex nanoseconds.
#include "engine/stream_pool.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <system_error>

#include "base/error.h"
#include "model/profile_scope.h"

namespace transformeter {

StreamPool::StreamPool(int streams, int threads) {
  const int of_caller = at::get_num_threads();
  try {
    for (int i = 0; i < streams; ++i) threads_.emplace_back([this, threads] { serve(threads); });
  } catch (const std::system_error& error) {
    end();
    throw Error(ErrorKind::kOutOfMemory, fmt::format("cannot start {} streams: {}", streams, error.what()));
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this, streams] { return ready_ == streams; });
  // A stream has set the count for itself, but also what threads yet to come begin with.
  at::set_num_threads(of_caller);
}

StreamPool::~StreamPool() {
  end();
}

void StreamPool::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void StreamPool::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  const ModuleScope scope(kStreamsScope);
  std::unique_lock lock(mutex_);
  work_ = &work;
  count_ = left_ = count;
  next_ = 0;
  failure_ = nullptr;
  // A profiler watches one thread, and those that take on its state.
  if (at::hasThreadLocalCallbacks()) observed_.emplace();
  wake_.notify_all();
  done_.wait(lock, [this] { return left_ == 0; });
  work_ = nullptr;
  observed_.reset();
  if (failure_) std::rethrow_exception(failure_);
}

void StreamPool::serve(int threads) {
  // A thread's first look at the count would set it to the program's: LibTorch's own, and that of at::parallel_for in
  // this program, which is a function of a header.
  at::get_num_threads();
  at::internal::lazy_init_num_threads();
  at::set_num_threads(threads);
  const c10::InferenceMode guard;
  std::unique_lock lock(mutex_);
  ++ready_;
  done_.notify_all();
  for (;;) {
    wake_.wait(lock, [this] { return ends_ || (work_ != nullptr && next_ < count_); });
    if (ends_) return;
    const std::size_t index = next_++;
    const auto* work = work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      std::optional<at::ThreadLocalStateGuard> watched;
      if (observed_) watched.emplace(*observed_);
      (*work)(index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--left_ == 0) done_.notify_all();
  }
}

}  // namespace transformeter
