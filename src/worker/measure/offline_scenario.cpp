// Scenario `offline`: all examples at once. A unit is a pass over the whole cycle, and nothing waits between its
// batches.
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "measure/device_sampler.h"
#include "measure/forward_case.h"
#include "measure/measurement.h"
#include "measure/measuring_window.h"
#include "measure/sampler.h"
#include "schema/metric_names.h"

namespace transformeter {
namespace {

// One pass fills a slice: the cut of a cycle that is too long counts on no more.
constexpr std::size_t kSliceSamples = 1;

// The work of a unit: operations of all batches, and the weights as often as they are read.
std::vector<Series> work_of_all(const std::vector<Series>& batches, std::size_t count) {
  std::vector<Series> all;
  for (const Series& one : batches) {
    const double sum = std::accumulate(one.value.begin(), one.value.end(), 0.0);
    const bool is_of_each = one.value.size() == count;
    all.push_back(value_series(one.name, {is_of_each ? sum : sum * static_cast<double>(count)}));
  }
  return all;
}

// The warm-up goes batch by batch, and these samples are no units; but the process's first one shows that its first
// pass was seen.
std::vector<Series> without_batches(std::vector<Series> series) {
  const Series* const latency = find_series(series, "latency");
  const bool has_first = latency != nullptr && !latency->flags.empty() && (latency->flags.front() & kSampleFirst) != 0;
  std::erase_if(series, [&](const Series& one) {
    // Parts of a pass that are not timed by themselves: the host's launches end when the device's queue has room.
    const bool is_part = one.name == "host_to_device" || one.name == "device_to_host" || one.name == "launch_time";
    return scope_of(one.name) == SeriesScope::kUnit && (!has_first || is_part);
  });
  for (Series& one : series) {
    if (scope_of(one.name) != SeriesScope::kUnit) continue;
    const auto cut = [](auto& column) {
      if (column.size() > 1) column.erase(column.begin() + 1, column.end());
    };
    cut(one.value);
    cut(one.start_s);
    cut(one.index);
    cut(one.examples);
    cut(one.useful_tokens);
    cut(one.processed_tokens);
    cut(one.flags);
  }
  return series;
}

class OfflineMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  OfflineMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
      : case_(std::move(prepared), request, clock), clock_(clock) {}

  Prepared prepared() const override { return case_.prepared(); }
  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override {
    return case_.evaluate(request, on_progress);
  }

 private:
  std::unique_ptr<UnitSampler> make_sampler();

  ForwardCase case_;
  const Clock& clock_;
};

std::unique_ptr<UnitSampler> OfflineMeasurement::make_sampler() {
  BatchRunner& runner = case_.runner();
  const auto pass = [&runner](std::size_t) {
    for (std::size_t index = 0; index < runner.cycle().size(); ++index) runner.launch_whole(index);
  };
  const std::vector size{total_of(runner.sizes())};
  if (runner.is_asynchronous()) {
    return std::make_unique<DeviceSampler>(clock_, case_.device(), DeviceWork{{}, pass, {}}, size);
  }
  auto sampler = std::make_unique<Sampler>(clock_, pass, size);
  count_cpu_time(*sampler, case_.device(), clock_);
  return sampler;
}

Warmed OfflineMeasurement::warm(const WarmRequest& request) {
  Warmed warmed = case_.warm(request);
  warmed.series = without_batches(std::move(warmed.series));
  return warmed;
}

Measured OfflineMeasurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  case_.ready(request, /*may_leave_cold=*/false);
  const std::unique_ptr<UnitSampler> sampler = make_sampler();
  const BlockSink without_launches = [&](std::vector<Series> block) {
    std::erase_if(block, [](const Series& one) { return one.name == "launch_time"; });
    sink(block);
  };
  Measured measured = case_.measure(*sampler, request, without_launches, kSliceSamples);
  for (Series& work : work_of_all(case_.cycle_work(), case_.runner().cycle().size())) {
    measured.series.push_back(std::move(work));
  }
  return measured;
}

}  // namespace

std::unique_ptr<Measurement> prepare_offline(const Case& the_case, const PrepareRequest& request,
                                             const Context& context, const WorkerParts& parts) {
  return std::make_unique<OfflineMeasurement>(prepare_case(the_case, context, parts), request, context.clock);
}

}  // namespace transformeter
