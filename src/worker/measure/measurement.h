// The verbs after prepare: first result and warm-up, measuring, and checking the outputs. One implementation for each
// scenario.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "measure/measuring_loop.h"
#include "measure/prepared_case.h"
#include "schema/messages.h"

namespace transformeter {

class Measurement {
 public:
  virtual ~Measurement() = default;

  virtual Warmed warm(const WarmRequest& request) = 0;
  virtual Measured measure(const MeasureRequest& request, const BlockSink& sink) = 0;
  virtual Evaluated evaluate(const EvaluateRequest& request,
                             const std::function<void(const Evaluating&)>& on_progress) = 0;
};

/// By the case's scenario. The clock must outlive the measurement.
std::unique_ptr<Measurement> make_measurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

}  // namespace transformeter
