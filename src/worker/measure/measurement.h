// The verbs of a measurement: what was prepared, first result and warm-up, measuring, and checking the outputs. One
// class for each scenario.
#pragma once

#include <functional>
#include <memory>

#include "base/context.h"
#include "measure/measuring_loop.h"
#include "measure/parts.h"
#include "measure/worker_case.h"
#include "schema/messages.h"

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
};

/// Loads the case's model and data for its scenario. Context and parts must outlive the measurement. Throws what
/// prepare_case or load_training throws.
std::unique_ptr<Measurement> prepare_measurement(const Case& the_case, const PrepareRequest& request,
                                                 const Context& context, const WorkerParts& parts);

}  // namespace transformeter
