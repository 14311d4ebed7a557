// A search picks the lucky; so its winner is measured again and only that figure counts (measurement rule 13).
#include "measure/gemm_peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/error.h"
#include "base/stopwatch.h"
#include "measure/steady_rate.h"
#include "measure/synchronized_work.h"

namespace transformeter {
namespace {

constexpr double kLookS = 0.03;  // for the timed calls of one point
constexpr double kMinCalls = 2;
constexpr double kMaxCalls = 20;

class Search {
 public:
  Search(const Clock& clock, Device& device, const GemmSweep& sweep, Peak& peak)
      : clock_(clock), device_(device), sweep_(sweep), peak_(peak), watch_(clock) {}

  void run(const std::vector<MatrixProduct>& products) {
    for (const ProductShape& shape : device_.name() == "cpu" ? sweep_.shapes : sweep_.gpu_shapes) {
      for (const MatrixProduct& product : products) {
        if (watch_.seconds() + forecast_s(shape) > sweep_.longest_search_s) {
          peak_.notes.push_back(fmt::format("larger shapes were skipped: the search would take longer than {} s",
                                            sweep_.longest_search_s));
          return;
        }
        look_at(product, shape);
      }
    }
  }

  const MatrixProduct* best_product() const { return best_product_; }
  const ProductShape& best_shape() const { return best_shape_; }

 private:
  // Of a look at the shape, at the best rate so far.
  double forecast_s(const ProductShape& shape) const {
    if (!peak_.best) return 0;
    return (kMinCalls + 2) * shape.operation_count() / peak_.best->rate;
  }

  void look_at(const MatrixProduct& product, const ProductShape& shape) try {
    const SynchronizedWork work = synchronized_work(clock_, device_, product.prepare(shape));
    const Stopwatch watch(clock_);
    work.run();
    const double first_s = std::max(watch.seconds(), 1e-9);
    const auto count = static_cast<std::size_t>(std::clamp(std::floor(kLookS / first_s), kMinCalls, kMaxCalls));
    const double rate = quick_rate(clock_, work.run, work.repeats * shape.operation_count(), count);
    peak_.points.push_back({product.kernel, {shape.m, shape.k, shape.n}, rate});
    if (peak_.best && rate <= peak_.best->rate) return;
    peak_.best = peak_.points.back();
    best_product_ = &product;
    best_shape_ = shape;
  } catch (const std::exception& error) {  // c10::Error, or oneDNN's own
    const std::string text = error.what();
    peak_.reason = fmt::format("{}: {}", product.kernel, text.substr(0, text.find('\n')));
  }

  const Clock& clock_;
  Device& device_;
  const GemmSweep& sweep_;
  Peak& peak_;
  Stopwatch watch_;
  const MatrixProduct* best_product_ = nullptr;
  ProductShape best_shape_;
};

}  // namespace

// Long enough for a clock that rises and falls, short enough to be run before a benchmark.
StoppingOptions GemmSweep::default_stopping() {
  StoppingOptions stopping;
  stopping.min_time_s = 0.3;
  stopping.limit_s = 2;
  stopping.hard_limit = true;  // a slow machine is not waited for
  return stopping;
}

Peak measure_gemm_peak(const Clock& clock, Device& device, const std::string& precision, const GemmSweep& sweep) {
  Peak peak;
  peak.quantity = gemm_peak(precision);
  std::vector<MatrixProduct> products;
  try {
    products =
        device.name() == "cpu" ? cpu_matrix_products(precision) : gpu_matrix_products(precision, device.torch_device());
  } catch (const Error& error) {
    peak.reason = error.what();
    return peak;
  }
  Search search(clock, device, sweep, peak);
  search.run(products);
  if (search.best_product() == nullptr) return peak;
  peak.reason.clear();
  const ProductShape& shape = search.best_shape();
  const SynchronizedWork work = synchronized_work(clock, device, search.best_product()->prepare(shape));
  peak.rate = steady_rate(clock, work.run, work.repeats * shape.operation_count(), sweep.stopping);
  if (!peak.rate) peak.reason = "the clock did not advance";
  return peak;
}

}  // namespace transformeter
