// The verbs of a measurement: what was prepared, first result and warm-up, measuring, and checking the outputs. One
// file for each scenario, e.g. batch_scenario.cpp; CONTRIBUTING.md says how one is added.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "base/context.h"
#include "measure/measuring_loop.h"
#include "measure/parts.h"
#include "measure/worker_case.h"
#include "schema/messages.h"
#include "schema/scenario.h"

namespace transformeter {

class Measurement {
 public:
  virtual ~Measurement() = default;

  /// What was read back before anything ran, and what loading cost.
  virtual Prepared prepared() const = 0;
  virtual Warmed warm(const WarmRequest& request) = 0;
  virtual Measured measure(const MeasureRequest& request, const BlockSink& sink) = 0;
  virtual Evaluated evaluate(const EvaluateRequest& request,
                             const std::function<void(const Evaluating&)>& on_progress) = 0;
  /// After warm. Throws Error(kUnsupported) where there is nothing that can be profiled.
  virtual Profiled profile(const ProfileRequest& request, const std::function<void(const Profiling&)>& on_progress);
};

/// Loads a case's model and data for its scenario. Context and parts must outlive the measurement.
using PrepareMeasurement = std::unique_ptr<Measurement>(const Case& the_case, const PrepareRequest& request,
                                                        const Context& context, const WorkerParts& parts);
PrepareMeasurement prepare_batch;
PrepareMeasurement prepare_offline;
PrepareMeasurement prepare_generate;
PrepareMeasurement prepare_train;

struct MeasuredScenario {
  Scenario scenario;
  PrepareMeasurement* prepare;
};

inline constexpr std::array kMeasuredScenarios{
    MeasuredScenario{Scenario::kBatch, prepare_batch},
    MeasuredScenario{Scenario::kOffline, prepare_offline},
    MeasuredScenario{Scenario::kGenerate, prepare_generate},
    MeasuredScenario{Scenario::kTrain, prepare_train},
};

/// By the case's own scenario. Throws what prepare_case or load_training throws.
PrepareMeasurement prepare_measurement;

}  // namespace transformeter
