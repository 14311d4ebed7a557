// Loops that the compiler vectorises, spread over LibTorch's threads, which are those that run the models.
#include "measure/bandwidth_peak.h"

#include <ATen/Parallel.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "measure/steady_rate.h"
#include "measure/synchronized_work.h"

namespace transformeter {
namespace {

constexpr std::int64_t kCacheTimes = 4;
constexpr std::int64_t kArrays = 3;
constexpr std::int64_t kUnknownCacheBytes = std::int64_t{64} << 20;

// Pages of its own, so that each thread touches its part first and large pages are possible.
class Array {
 public:
  explicit Array(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* address = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
      throw Error(ErrorKind::kOutOfMemory,
                  fmt::format("not enough memory for an array of {}", format_bytes(static_cast<double>(bytes))));
    }
    ::madvise(address, bytes_, MADV_HUGEPAGE);  // where the kernel has none, ordinary ones serve
    values_ = static_cast<double*>(address);
  }
  ~Array() { ::munmap(values_, bytes_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  double* values() const { return values_; }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_ / sizeof(double)); }

 private:
  std::size_t bytes_;
  double* values_ = nullptr;
};

void fill(const Array& array, double value) {
  at::parallel_for(0, array.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::fill(array.values() + begin, array.values() + end, value);
  });
}

void triad(const Array& to, const Array& left, const Array& right) {
  at::parallel_for(0, to.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    constexpr double kScale = 3;
    double* __restrict a = to.values();
    const double* __restrict b = left.values();
    const double* __restrict c = right.values();
    for (std::int64_t i = begin; i < end; ++i) a[i] = b[i] + kScale * c[i];
  });
}

// Several streams at once, as a product reads several rows: one alone does not keep the prefetchers busy. In pairs with
// sums of their own, since the compiler may not reorder one sum of floating-point numbers.
template <int streams>
double sum_of(const double* values, std::int64_t count) {
  using Pair [[gnu::vector_size(16)]] = double;
  constexpr std::int64_t kLine = 8;
  const std::int64_t part = count / streams / kLine * kLine;
  Pair sums[streams][2]{};
  for (std::int64_t i = 0; i < part; i += kLine) {
    for (int stream = 0; stream < streams; ++stream) {
      for (int pair = 0; pair < kLine / 2; ++pair) {
        Pair next;
        std::memcpy(&next, values + stream * part + i + 2 * pair, sizeof(next));
        sums[stream][pair % 2] += next;
      }
    }
  }
  double sum = std::accumulate(values + streams * part, values + count, 0.0);
  for (const auto& of_stream : sums) sum += of_stream[0][0] + of_stream[0][1] + of_stream[1][0] + of_stream[1][1];
  return sum;
}

using Sum = double (*)(const double*, std::int64_t);

double sum_of(const Array& array, Sum sum) {
  std::vector<double> sums(static_cast<std::size_t>(at::get_num_threads()));
  at::parallel_for(0, array.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    sums[static_cast<std::size_t>(at::get_thread_num())] = sum(array.values() + begin, end - begin);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// By the C library, which may write past the caches and then reads no line before it.
void copy(const Array& to, const Array& from) {
  at::parallel_for(0, to.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(to.values() + begin, from.values() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
  });
}

// The bytes of all instances of the largest kind of cache; 0 when none is known.
std::int64_t last_level_cache_bytes(const Json& topology) {
  std::int64_t largest = 0;
  const auto caches = topology.find("caches");
  if (caches == topology.end()) return 0;
  for (const Json& cache : *caches) {
    if (!cache.at("size_bytes").is_number() || cache.at("name") == "L1i") continue;
    largest = std::max(largest, cache.at("size_bytes").get<std::int64_t>() * cache.value("instance_count", 1));
  }
  return largest;
}

}  // namespace

ArraySize stream_array_size(const Json& topology, std::int64_t available_bytes) {
  const std::int64_t known = last_level_cache_bytes(topology);
  const std::int64_t cache = known > 0 ? known : kUnknownCacheBytes;
  const std::int64_t most = std::max<std::int64_t>(available_bytes / (2 * kArrays), 1 << 20);
  ArraySize size{std::min(kCacheTimes * cache, most) / 4096 * 4096, ""};
  const auto text = [](std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  if (known == 0) {
    size.note = fmt::format("cache sizes are unknown; arrays are {}", text(size.bytes));
  } else if (size.bytes < kCacheTimes * cache / 4096 * 4096) {
    size.note = fmt::format(
        "memory only allows arrays of {}, less than 4 times the last-level cache of {}: the rate may include cache "
        "hits",
        text(size.bytes), text(cache));
  }
  return size;
}

StoppingOptions BandwidthOptions::default_stopping() {
  StoppingOptions stopping;
  stopping.min_time_s = 0.3;
  stopping.limit_s = 2;
  stopping.hard_limit = true;
  return stopping;
}

namespace {

constexpr std::int64_t kGpuCacheTimes = 8;
constexpr std::int64_t kSmallestGpuArray = std::int64_t{64} << 20;

std::int64_t gpu_array_bytes(const Device& device) {
  const std::int64_t cache = device.facts().value("l2_cache_bytes", std::int64_t{0});
  return std::max(kGpuCacheTimes * cache, kSmallestGpuArray) / 4096 * 4096;
}

// The point of the rate, or why there is none.
void add_best(Peak& peak, PeakPoint point) {
  if (!peak.rate) {
    peak.reason = "the clock did not advance";
    return;
  }
  point.rate = peak.rate->value;
  peak.points.push_back(point);
  peak.best = std::move(point);
}

std::optional<Estimate> array_rate(const Clock& clock, Device& device, std::function<void()> work, double bytes,
                                   const StoppingOptions& stopping) {
  const SynchronizedWork waited = synchronized_work(clock, device, std::move(work));
  return steady_rate(clock, waited.run, waited.repeats * bytes, stopping);
}

}  // namespace

Peak measure_gpu_bandwidth_peak(const Clock& clock, Device& device, const StoppingOptions& stopping) {
  const std::int64_t bytes = gpu_array_bytes(device);
  const auto elements = bytes / static_cast<std::int64_t>(sizeof(float));
  const c10::InferenceMode guard;
  const at::TensorOptions place = at::TensorOptions(at::kFloat).device(device.torch_device());
  at::Tensor a = at::zeros({elements}, place);
  const at::Tensor b = at::ones({elements}, place);
  const at::Tensor c = at::ones({elements}, place);
  const auto size = static_cast<double>(bytes);
  Peak peak;
  peak.quantity = kBandwidthPeak;
  if (const auto copied = array_rate(
          clock, device, [&] { a.copy_(b); }, 2 * size, stopping)) {
    peak.points.push_back({"copy", {bytes}, copied->value});
  }
  peak.rate = array_rate(
      clock, device, [&] { at::add_out(a, b, c, 3); }, 3 * size, stopping);
  add_best(peak, {"triad", {bytes}, 0});
  return peak;
}

Peak measure_bandwidth_peak(const Clock& clock, const BandwidthOptions& options) {
  Peak peak;
  peak.quantity = kBandwidthPeak;
  if (!options.array.note.empty()) peak.notes.push_back(options.array.note);
  const Array a(options.array.bytes);
  const Array b(options.array.bytes);
  const Array c(options.array.bytes);
  fill(a, 0);
  fill(b, 1);
  fill(c, 2);
  const auto bytes = static_cast<double>(options.array.bytes);
  const std::vector<std::int64_t> shape{options.array.bytes};
  const auto copied = steady_rate(
      clock, [&] { copy(a, b); }, 2 * bytes, options.stopping);
  if (copied) peak.points.push_back({"copy", shape, copied->value});
  peak.rate = steady_rate(
      clock, [&] { triad(a, b, c); }, 3 * bytes, options.stopping);
  add_best(peak, {"triad", shape, 0});
  return peak;
}

Peak measure_gpu_read_bandwidth_peak(const Clock& clock, Device& device, const StoppingOptions& stopping) {
  const std::int64_t bytes = kArrays * gpu_array_bytes(device);
  const c10::InferenceMode guard;
  const at::Tensor values = at::ones({bytes / static_cast<std::int64_t>(sizeof(float))},
                                     at::TensorOptions(at::kFloat).device(device.torch_device()));
  Peak peak;
  peak.quantity = kReadBandwidthPeak;
  peak.rate = array_rate(
      clock, device, [&] { at::sum(values); }, static_cast<double>(bytes), stopping);
  add_best(peak, {"read", {bytes}, 0});
  return peak;
}

// Streams that are looked at shortly; the best of them is measured again.
Peak measure_read_bandwidth_peak(const Clock& clock, const BandwidthOptions& options) {
  constexpr std::size_t kLooks = 3;
  const std::pair<std::int64_t, Sum> kernels[] = {{1, &sum_of<1>}, {2, &sum_of<2>}, {4, &sum_of<4>}};
  const std::int64_t bytes = kArrays * options.array.bytes;
  const auto amount = static_cast<double>(bytes);
  const Array values(bytes);
  fill(values, 1);
  volatile double result = 0;  // or nothing need be read
  Peak peak;
  peak.quantity = kReadBandwidthPeak;
  if (!options.array.note.empty()) peak.notes.push_back(options.array.note);
  Sum best = kernels[0].second;
  PeakPoint fastest{"read", {bytes, 1}, 0};
  for (const auto& [streams, sum] : kernels) {
    const PeakPoint point{"read",
                          {bytes, streams},
                          quick_rate(
                              clock, [&, sum = sum] { result = sum_of(values, sum); }, amount, kLooks)};
    peak.points.push_back(point);
    if (point.rate <= fastest.rate) continue;
    fastest = point;
    best = sum;
  }
  peak.rate = steady_rate(
      clock, [&] { result = sum_of(values, best); }, amount, options.stopping);
  add_best(peak, fastest);
  return peak;
}

}  // namespace transformeter
