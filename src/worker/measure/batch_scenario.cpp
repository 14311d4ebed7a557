// Scenario `batch`: the batches of the cycle, one after another. On a device behind the host's back, whole cycles
// follow without waiting.
#include "measure/measurement.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "measure/back_to_back.h"
#include "measure/forward_case.h"

namespace transformeter {
namespace {

// Of the time for latencies, which comes on top of it.
constexpr double kBackToBackShare = 0.25;

constexpr std::size_t kSliceSamples = 2;

class BatchMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  BatchMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const override { return case_.prepared(); }
  Warmed warm(const WarmRequest& request) override { return case_.warm(request); }
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;
  Profiled profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress) override {
    return case_.profile(request, on_progress);
  }

 private:
  /// Throughput without waiting between batches; nothing where the device is never behind the host.
  void measure_throughput(const MeasureRequest& request, const BlockSink& sink);

  ForwardCase case_;
  const Clock& clock_;
};

BatchMeasurement::BatchMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock)
    : case_(std::move(prepared), request, clock), clock_(clock) {}

void BatchMeasurement::measure_throughput(const MeasureRequest& request, const BlockSink& sink) {
  BatchRunner& runner = case_.runner();
  if (!runner.is_asynchronous() || request.slice > 0) return;
  StoppingOptions stopping;
  stopping.limit_s = request.limit_s * kBackToBackShare;
  stopping.hard_limit = true;
  if (request.exactly) stopping.exact_count = static_cast<std::size_t>(*request.exactly);
  const auto launch = [&runner](std::size_t index) { runner.launch_whole(index); };
  measure_back_to_back(clock_, case_.device(), launch, runner.sizes(), stopping, sink);
}

Measured BatchMeasurement::measure(const MeasureRequest& request, const BlockSink& sink) {
  const std::vector<Series> warmup = case_.ready(request, /*may_leave_cold=*/true);
  if (!warmup.empty()) sink(warmup);
  const std::unique_ptr<UnitSampler> sampler = case_.runner().make_sampler();
  Measured measured = case_.measure(*sampler, request, sink, kSliceSamples);
  const std::vector<Series>& work = case_.cycle_work();
  measured.series.insert(measured.series.end(), work.begin(), work.end());
  measure_throughput(request, sink);
  return measured;
}

Evaluated BatchMeasurement::evaluate(const EvaluateRequest& request,
                                     const std::function<void(const Evaluating&)>& on_progress) {
  return case_.evaluate(request, on_progress);
}

}  // namespace

std::unique_ptr<Measurement> prepare_batch(const Case& the_case, const PrepareRequest& request, const Context& context,
                                           const WorkerParts& parts) {
  return std::make_unique<BatchMeasurement>(prepare_case(the_case, context, parts), request, context.clock);
}

}  // namespace transformeter
