// Conditions under which a comparison fails: "latency.median > +3%".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metric_change.h"
#include "base/error.h"

namespace transformeter {

enum class GateRelation { kAbove, kBelow };
/// What is held against the threshold.
enum class GateSubject {
  kChange,      // after ÷ before − 1: "> +3%"
  kDifference,  // after − before: "> +5ms"
  kValue,       // after: "> 20ms"
};

struct Gate {
  std::string text;  // as typed
  std::string metric;
  std::string statistic;  // empty: the headline
  GateRelation relation = GateRelation::kAbove;
  GateSubject subject = GateSubject::kChange;
  double threshold = 0;  // a share, or in the metric's unit
};

/// A condition that cannot be read.
class GateFault : public Error {
 public:
  GateFault(const std::string& message, std::string marked_text)
      : Error(ErrorKind::kBadInput, message), marked(std::move(marked_text)) {}

  std::string marked;  // blanks and a mark, to stand below the condition
};

/// METRIC[.STATISTIC] > or < THRESHOLD: with a sign a change, as a share (%) or in the metric's unit; without one the
/// value itself. Throws GateFault.
Gate parse_gate(std::string_view text);

enum class GateAnswer { kPass, kFail, kUndecided };

/// "pass", "fail", "undecided".
std::string_view name_of(GateAnswer answer);
/// The worst: fail, then undecided. Pass for none.
GateAnswer worst_of(const std::vector<GateAnswer>& answers);

/// What is held against a threshold: a share, or in the metric's unit. Without an interval both ends are the value.
struct GateFigure {
  double value = 0;
  double low = 0;
  double high = 0;
  bool has_interval = false;
};

struct GateResult {
  GateAnswer answer = GateAnswer::kUndecided;
  std::string why;  // with the figure: "+4.2 % (+3.8 % to +4.6 %)"
  std::optional<GateFigure> measured;
};

/// Fails where the whole interval fulfils the condition, passes where none of it does. What is_exact does not name is
/// undecided without an interval, and all but memory for a doubtful case, unless pairs of slices cover the doubt. A
/// case that was ok and has failed, or was valid and is invalid, fails.
GateResult judge(const Gate& gate, const CasePair& pair, const SpeedComparison& speed);

/// Whether a live comparison of that case may end, by time before ÷ time after: each condition on the relative change
/// of its headline, the median of `latency` or `cycle_time`, has an answer; where there is no such condition, once the
/// comparison has one.
bool is_decided(const std::vector<Gate>& gates, const CaseRecord& record, const Quotient& speed_up);

/// "+4.2 %", "−0.31 %", "0 %" below a hundredth of that.
std::string signed_share(double share);

}  // namespace transformeter
