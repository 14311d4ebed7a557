// Scenario `generate`: one request at a time, greedy, with a key-value cache of its own; prefill and decode within the
// same request.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/generation.h"
#include "measure/measurement.h"
#include "measure/prepared_case.h"
#include "measure/request_sampler.h"

namespace transformeter {

class GenerateMeasurement final : public Measurement {
 public:
  /// The clock must outlive the measurement.
  GenerateMeasurement(PreparedCase prepared, const PrepareRequest& request, const Clock& clock);

  Prepared prepared() const override { return {case_.effective, case_.series}; }
  Warmed warm(const WarmRequest& request) override;
  Measured measure(const MeasureRequest& request, const BlockSink& sink) override;
  /// One request whose logits are looked at; generated text has no score. Outputs are of each prompt the logits after
  /// it, twice: of the prefill, and of decode steps over its last tokens.
  Evaluated evaluate(const EvaluateRequest& request,
                     const std::function<void(const Evaluating&)>& on_progress) override;

 private:
  RequestShape shape() const;
  RequestWork work();
  /// Its samples, flagged; what was seen of it goes to `warmed`.
  std::vector<Series> first_request(Clock::TimePoint origin, Warmed& warmed);

  PreparedCase case_;
  PrepareRequest request_;
  const Clock& clock_;
  std::optional<GreedyRequest> running_;
  bool is_warm_ = false;
};

}  // namespace transformeter
