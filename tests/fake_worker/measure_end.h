// When the fake worker has measured enough: by the worker's own stopping rule in fake time, or at a count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fake_worker/behaviour.h"
#include "schema/messages.h"
#include "stats/stopping_rule.h"

namespace transformeter {

class MeasureEnd {
 public:
  /// `batches` is the number of batches per cycle.
  MeasureEnd(const Behaviour& behaviour, const MeasureRequest& request, std::int64_t batches);

  /// True when no further sample is wanted; to be asked before each. `time_s` is the time measured so far.
  bool reached(double time_s);
  /// Tells of a sample of batch `position`; `time_s` includes it.
  void add(double seconds, double time_s, std::int64_t position);

  /// As the protocol names it.
  const std::string& reason() const { return reason_; }

 private:
  MeasureRequest request_;
  std::optional<StoppingRule> rule_;
  bool rule_stopped_ = false;
  std::int64_t wanted_ = 0;
  std::int64_t samples_ = 0;
  std::string reason_;
};

}  // namespace transformeter
