// A condition is three words; what is wrong with one is underlined.
#include "analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "schema/metric_names.h"

namespace transformeter {
namespace {

const MetricTerm* find_term(std::string_view name) {
  const auto terms = metric_terms();
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const MetricTerm& term) { return term.name == name; });
  return found == terms.end() ? nullptr : &*found;
}

class GateParser {
 public:
  explicit GateParser(std::string_view text) : text_(text) {}

  Gate parse() {
    Gate gate;
    gate.text = std::string(trim(text_));
    const std::size_t operation = text_.find_first_of("<>");
    if (operation == std::string_view::npos) fault(0, text_.size(), "has no '<' or '>'");
    gate.relation = text_[operation] == '>' ? GateRelation::kAbove : GateRelation::kBelow;
    read_metric(trimmed(0, operation), gate);
    read_threshold(trimmed(operation + 1, text_.size()), gate);
    return gate;
  }

 private:
  struct Place {
    std::size_t begin, end;
  };

  std::string_view at(const Place& place) const { return text_.substr(place.begin, place.end - place.begin); }

  Place trimmed(std::size_t begin, std::size_t end) const {
    while (begin < end && text_[begin] == ' ') ++begin;
    while (end > begin && text_[end - 1] == ' ') --end;
    return {begin, end};
  }

  [[noreturn]] void fault(std::size_t begin, std::size_t end, const std::string& what) const {
    throw GateFault(
        fmt::format("the condition '{}' {}; write METRIC[.STATISTIC] > or < THRESHOLD, e.g. 'latency.median "
                    "> +3%', 'peak_rss > 2GiB' or 'accuracy < -0.01'",
                    excerpt(text_), what),
        std::string(begin, ' ') + "^" + std::string(std::max(end, begin + 1) - begin - 1, '~'));
  }

  void read_metric(const Place& place, Gate& gate) const {
    const std::string_view word = at(place);
    const std::size_t dot = word.find_first_of(".:");
    gate.metric = std::string(word.substr(0, dot));
    if (dot != std::string_view::npos) gate.statistic = std::string(word.substr(dot + 1));
    if (gate.metric.empty()) fault(place.begin, place.end, "names no metric");
    if (find_term(gate.metric) != nullptr) return;
    std::vector<std::string> names;
    for (const MetricTerm& term : metric_terms()) names.emplace_back(term.name);
    const auto near = nearest(gate.metric, names);
    fault(place.begin, place.begin + gate.metric.size(),
          fmt::format("names the metric '{}', which there is not{}", excerpt(gate.metric),
                      near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }

  void read_threshold(const Place& place, Gate& gate) const {
    std::string_view word = at(place);
    const bool has_sign = !word.empty() && (word.front() == '+' || word.front() == '-');
    const double sign = has_sign && word.front() == '-' ? -1 : 1;
    if (has_sign) word.remove_prefix(1);
    const bool is_share = !word.empty() && word.back() == '%';
    const std::string_view unit = find_term(gate.metric)->unit;
    gate.subject = !has_sign ? GateSubject::kValue : is_share ? GateSubject::kChange : GateSubject::kDifference;
    std::optional<double> amount = is_share ? number(trim(word.substr(0, word.size() - 1))) : amount_of(word, unit);
    if (!amount) fault(place.begin, place.end, fmt::format("has a threshold that is not a number of {}", unit));
    if (is_share && !has_sign && unit != "ratio") {
      fault(place.begin, place.end, fmt::format("has a share without a sign, but {} is no share", gate.metric));
    }
    gate.threshold = sign * *amount * (is_share ? 0.01 : 1);
  }

  static std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
  }

  static std::optional<double> amount_of(std::string_view text, std::string_view unit) {
    if (const auto plain = number(text)) return plain;
    try {
      if (unit == "s") return parse_duration("threshold", text).count();
      if (unit == "bytes") return static_cast<double>(parse_bytes("threshold", text));
    } catch (const Error&) {
    }
    return std::nullopt;
  }

  std::string_view text_;
};

struct Bounds {
  double value = 0;
  double low = 0;
  double high = 0;
  bool has_interval = false;
};

Bounds bounds_of(const MetricRow& row) {
  const bool has_interval = row.low && row.high;
  return {*row.value, row.low.value_or(*row.value), row.high.value_or(*row.value), has_interval};
}

// Of two rows as if they were independent, which those of the same texts are not: wider than need be.
Bounds difference_of(const MetricRow& before, const MetricRow& after) {
  const Bounds from = bounds_of(before);
  const Bounds to = bounds_of(after);
  const double value = to.value - from.value;
  return {value, value - std::hypot(to.value - to.low, from.high - from.value),
          value + std::hypot(to.high - to.value, from.value - from.low), from.has_interval && to.has_interval};
}

std::string amount_text(const Gate& gate, double value, std::string_view unit) {
  if (gate.subject == GateSubject::kChange) return signed_share(value);
  const std::string text = format_quantity(std::abs(value), unit);
  const char* sign = value < 0 ? "−" : gate.subject == GateSubject::kDifference ? "+" : "";
  return sign + text;
}

std::string figures_text(const Gate& gate, const Bounds& bounds, std::string_view unit) {
  const std::string value = amount_text(gate, bounds.value, unit);
  if (!bounds.has_interval) return value;
  return fmt::format("{} ({} to {})", value, amount_text(gate, bounds.low, unit), amount_text(gate, bounds.high, unit));
}

GateAnswer answer_for(const Gate& gate, const Bounds& bounds) {
  const bool is_above = gate.relation == GateRelation::kAbove;
  const bool all = is_above ? bounds.low > gate.threshold : bounds.high < gate.threshold;
  const bool none = is_above ? bounds.high <= gate.threshold : bounds.low >= gate.threshold;
  return all ? GateAnswer::kFail : none ? GateAnswer::kPass : GateAnswer::kUndecided;
}

std::string why_not_ok(const AnalyzedCase& one) {
  const std::string& reason = one.record->status_reason;
  return fmt::format("{} is {}{}{}", one.label, status_word(*one.record), reason.empty() ? "" : ": ", reason);
}

// `why`: the answer cannot be had; empty: it can.
GateResult result_of(const Gate& gate, const Bounds& bounds, std::string_view unit, const std::string& why) {
  const std::string figures = figures_text(gate, bounds, unit);
  if (!why.empty()) return {GateAnswer::kUndecided, fmt::format("{}; {}", figures, why)};
  return {answer_for(gate, bounds), figures};
}

GateResult judge_value(const Gate& gate, const AnalyzedCase& one) {
  const MetricRow* row = find_metric(one.analysis.metrics, gate.metric, gate.statistic);
  if (row == nullptr || !row->value) return {GateAnswer::kUndecided, why_missing(one, gate.metric, gate.statistic)};
  const Bounds bounds = bounds_of(*row);
  const bool is_invalid = one.analysis.verdict.level == VerdictLevel::kInvalid;
  std::string why = is_invalid || !is_exact(*row) ? why_doubted(one) : "";
  if (why.empty() && !is_exact(*row) && !bounds.has_interval) why = "it has no interval";
  return result_of(gate, bounds, row->unit, why);
}

GateResult judge_change(const Gate& gate, const CasePair& pair, const SpeedComparison& speed) {
  const MetricChange change = change_of(pair, speed, gate.metric, gate.statistic);
  const bool is_relative = gate.subject == GateSubject::kChange;
  if (!change.before || !change.after || (is_relative && !change.ratio)) {
    return {GateAnswer::kUndecided, change.reason};
  }
  Bounds bounds = difference_of(*change.before, *change.after);
  if (is_relative) {
    bounds = {change.ratio->value - 1, change.ratio->low - 1, change.ratio->high - 1, change.has_interval};
  }
  std::string why;
  for (const AnalyzedCase* one : {&*pair.before, &*pair.after}) {
    if (one->analysis.verdict.level == VerdictLevel::kInvalid) why = why_doubted(*one);
  }
  if (why.empty() && !is_exact(*change.before)) {
    if (speed.is_doubted) why = speed.reason;
    if (why.empty() && !bounds.has_interval) why = change.reason.empty() ? "it has no interval" : change.reason;
  }
  return result_of(gate, bounds, change.after->unit, why);
}

}  // namespace

Gate parse_gate(std::string_view text) {
  return GateParser(text).parse();
}

std::string_view name_of(GateAnswer answer) {
  switch (answer) {
    case GateAnswer::kPass:
      return "pass";
    case GateAnswer::kFail:
      return "fail";
    case GateAnswer::kUndecided:
      break;
  }
  return "undecided";
}

GateAnswer worst_of(const std::vector<GateAnswer>& answers) {
  const auto has = [&](GateAnswer answer) {
    return std::find(answers.begin(), answers.end(), answer) != answers.end();
  };
  if (has(GateAnswer::kFail)) return GateAnswer::kFail;
  return has(GateAnswer::kUndecided) ? GateAnswer::kUndecided : GateAnswer::kPass;
}

std::string signed_share(double share) {
  constexpr double kNone = 5e-5;  // shown as 0.005 %
  if (std::abs(share) < kNone) return "0 %";
  return fmt::format("{}{} %", share < 0 ? "−" : "+", format_number(std::abs(share) * 100));
}

GateResult judge(const Gate& gate, const CasePair& pair, const SpeedComparison& speed) {
  if (!pair.after) return {GateAnswer::kUndecided, "there is no such case after"};
  const bool was_ok = pair.before && pair.before->is_ok();
  if (!pair.after->is_ok()) return {was_ok ? GateAnswer::kFail : GateAnswer::kUndecided, why_not_ok(*pair.after)};
  if (gate.subject == GateSubject::kValue) return judge_value(gate, *pair.after);
  if (!pair.before) return {GateAnswer::kUndecided, "there is no such case before"};
  if (!was_ok) return {GateAnswer::kUndecided, why_not_ok(*pair.before)};
  return judge_change(gate, pair, speed);
}

}  // namespace transformeter
