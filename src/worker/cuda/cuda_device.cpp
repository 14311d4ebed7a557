// All work goes to one stream of this process, which LibTorch takes for the current one; events stand in its order.
#include "cuda/cuda_device.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const ErrorKind kind = error == cudaErrorMemoryAllocation ? ErrorKind::kOutOfMemory : ErrorKind::kEnvironment;
  throw Error(kind, fmt::format("CUDA: {} failed: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error)));
}

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "creating an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  void wait() { check(cudaEventSynchronize(event_), "waiting for an event"); }
  double seconds_since(const Event& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "reading events");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class EventTimer final : public DeviceTimer {
 public:
  explicit EventTimer(c10::cuda::CUDAStream stream) : stream_(stream) {}
  void start() override { start_.record(stream_); }
  void stop() override { stop_.record(stream_); }
  double elapsed_s() override {
    stop_.wait();
    return stop_.seconds_since(start_);
  }

 private:
  c10::cuda::CUDAStream stream_;
  Event start_, stop_;
};

// Memory of recordings that live at a time. LibTorch lets go of it with the last of them, and takes its name no more.
struct GraphPool {
  c10::MempoolId_t id = at::cuda::graph_pool_handle();
};

class Graph final : public RecordedWork {
 public:
  Graph(const std::function<void()>& work, std::shared_ptr<const GraphPool> pool) : pool_(std::move(pool)) {
    graph_.capture_begin(pool_->id);
    try {
      work();
    } catch (...) {
      end_quietly();
      throw;
    }
    graph_.capture_end();
  }
  void replay() override { graph_.replay(); }

 private:
  // What the work threw says more than that a broken capture does not end well.
  void end_quietly() {
    try {
      graph_.capture_end();
    } catch (const c10::Error&) {
    }
  }

  std::shared_ptr<const GraphPool> pool_;
  at::cuda::CUDAGraph graph_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal)
      : ordinal_(static_cast<c10::DeviceIndex>(ordinal)), stream_(c10::cuda::getStreamFromPool(false, ordinal_)) {
    c10::cuda::set_device(ordinal_);
    // Graphs cannot be captured on the default stream.
    c10::cuda::setCurrentCUDAStream(stream_);
    check(cudaGetDeviceProperties(&properties_, ordinal), "reading the GPU's properties");
  }

  std::string name() const override { return fmt::format("cuda:{}", static_cast<int>(ordinal_)); }
  c10::Device torch_device() const override { return {c10::kCUDA, ordinal_}; }
  Json facts() const override {
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver), "reading the driver's version");
    check(cudaRuntimeGetVersion(&runtime), "reading the runtime's version");
    return {{"name", properties_.name},
            {"compute_capability", fmt::format("{}.{}", properties_.major, properties_.minor)},
            {"multiprocessors", properties_.multiProcessorCount},
            {"memory_bytes", properties_.totalGlobalMem},
            {"l2_cache_bytes", properties_.l2CacheSize},
            {"cuda_driver", driver},
            {"cuda_runtime", runtime}};
  }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }
  void reset_peak_allocated() override { allocator::resetPeakStats(ordinal_); }
  std::int64_t peak_allocated_bytes() const override {
    return all(allocator::getDeviceStats(ordinal_).allocated_bytes);
  }
  std::optional<std::int64_t> peak_reserved_bytes() const override {
    return all(allocator::getDeviceStats(ordinal_).reserved_bytes);
  }
  at::Tensor host_memory(const at::Tensor& like) override {
    return at::empty(like.sizes(), like.options().device(c10::kCPU).pinned_memory(true));
  }
  std::unique_ptr<DeviceTimer> make_timer() override { return std::make_unique<EventTimer>(stream_); }
  std::unique_ptr<RecordedWork> record(const std::function<void()>& work) override {
    std::shared_ptr<const GraphPool> pool = pool_.lock();
    if (pool == nullptr) {
      pool_ = pool = std::make_shared<const GraphPool>();
      allocator::emptyCache();  // what plain passes left over is no use to recordings
    }
    try {
      return std::make_unique<Graph>(work, std::move(pool));
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("cannot capture this work in a CUDA graph: {}", error.what_without_backtrace()));
    }
  }

 private:
  static std::int64_t all(const c10::CachingAllocator::StatArray& stats) {
    return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
  }

  c10::DeviceIndex ordinal_;
  c10::cuda::CUDAStream stream_;
  cudaDeviceProp properties_{};
  std::weak_ptr<const GraphPool> pool_;  // of the recordings that live
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(int ordinal) {
  try {
    at::globalContext().lazyInitDevice(c10::kCUDA);
    return std::make_unique<CudaDevice>(ordinal);
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::kEnvironment, fmt::format("CUDA: {}", error.what_without_backtrace()));
  }
}

}  // namespace transformeter
