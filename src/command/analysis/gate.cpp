// A condition is a metric, a relation and a threshold; a fault marks the part that is wrong.
#include "analysis/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/metric_name.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "schema/metric_names.h"
#include "schema/settings.h"

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
    if (text_.substr(operation + 1).starts_with('='))
      fault(operation, operation + 2, "has another relation than '<' or '>'");
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
    if (gate.metric.empty()) fault(place.begin, place.end, "names no metric");
    if (find_term(gate.metric) != nullptr) return read_statistic(place, dot, gate);
    std::vector<std::string> names;
    for (const MetricTerm& term : metric_terms()) names.emplace_back(term.name);
    const auto near = nearest(gate.metric, names);
    fault(place.begin, place.begin + gate.metric.size(),
          fmt::format("has an unknown metric '{}'{}", excerpt(gate.metric),
                      near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }

  void read_statistic(const Place& place, std::size_t dot, Gate& gate) const {
    if (dot == std::string_view::npos) return;
    const std::vector<std::string>& statistics = known_statistics();
    gate.statistic = std::string(at(place).substr(dot + 1));
    if (std::find(statistics.begin(), statistics.end(), gate.statistic) != statistics.end()) return;
    const auto near = nearest(gate.statistic, statistics);
    fault(place.begin + dot + 1, place.end,
          fmt::format("has an unknown statistic '{}'{}; known are {}", excerpt(gate.statistic),
                      near ? fmt::format(" (did you mean '{}'?)", *near) : "", fmt::join(statistics, ", ")));
  }

  void read_threshold(const Place& place, Gate& gate) const {
    std::string_view word = at(place);
    const bool has_sign = !word.empty() && (word.front() == '+' || word.front() == '-');
    const double sign = has_sign && word.front() == '-' ? -1 : 1;
    if (has_sign) word.remove_prefix(1);
    const bool is_share = !word.empty() && word.back() == '%';
    const std::string_view unit = find_term(gate.metric)->unit;
    gate.subject = !has_sign ? GateSubject::kValue : is_share ? GateSubject::kChange : GateSubject::kDifference;
    const std::optional<double> amount =
        is_share ? number(trim(word.substr(0, word.size() - 1))) : amount_of(word, unit);
    if (!amount) fault(place.begin, place.end, fmt::format("has a threshold that is not {}", expected(unit)));
    if (is_share && !has_sign && unit != "ratio") {
      fault(place.begin, place.end, fmt::format("has a share without a sign, but {} is no share", gate.metric));
    }
    gate.threshold = sign * *amount * (is_share ? 0.01 : 1);
  }

  static std::optional<double> number(std::string_view text) {
    const auto value = parse_number(text);
    return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
  }

  static std::string expected(std::string_view unit) {
    if (unit == "s") return "a time, a number with us, ms, s, m or h, or a change in %";
    if (unit == "bytes") return "a number with B, KiB, MiB, GiB, kB, MB or GB, or a change in %";
    return fmt::format("a number, in {}", unit);
  }

  static std::optional<double> amount_of(std::string_view text, std::string_view unit) {
    // A forgotten % would be seconds or bytes, and pass for ever.
    const bool needs_unit = unit == "s" || unit == "bytes";
    if (const auto plain = number(text)) return needs_unit && *plain != 0 ? std::nullopt : plain;
    if (text.ends_with(unit)) {
      if (const auto plain = number(trim(text.substr(0, text.size() - unit.size())))) return plain;
    }
    try {
      if (unit == "s") return parse_duration("threshold", text).count();
      if (unit == "bytes") return static_cast<double>(parse_bytes("threshold", text));
    } catch (const Error&) {
    }
    return std::nullopt;
  }

  std::string_view text_;
};

// What a score's interval says of other texts is not asked here: both sides have the same ones.
GateFigure figure_of(const MetricRow& row) {
  if (is_exact(row) || !row.low || !row.high) return {*row.value, *row.value, *row.value, false};
  return {*row.value, *row.low, *row.high, true};
}

// After − before. Of what is not exact by the ratio, which has the interval.
GateFigure difference_of(const MetricChange& change) {
  const double from = *change.before->value;
  if (is_exact(*change.before) || !change.ratio) {
    const double value = *change.after->value - from;
    return {value, value, value, false};
  }
  return {from * (change.ratio->value - 1), from * (change.ratio->low - 1), from * (change.ratio->high - 1),
          change.has_interval};
}

std::string amount_text(const Gate& gate, double value, std::string_view unit) {
  if (gate.subject == GateSubject::kChange) return signed_share(value);
  const std::string text = format_quantity(std::abs(value), unit);
  const char* sign = value < 0 ? "−" : gate.subject == GateSubject::kDifference ? "+" : "";
  return sign + text;
}

std::string figures_text(const Gate& gate, const GateFigure& figure, std::string_view unit) {
  std::string value = amount_text(gate, figure.value, unit);
  if (!figure.has_interval) return value;
  return fmt::format("{} ({} to {})", value, amount_text(gate, figure.low, unit), amount_text(gate, figure.high, unit));
}

GateAnswer answer_for(const Gate& gate, const GateFigure& figure) {
  const bool is_above = gate.relation == GateRelation::kAbove;
  const bool all = is_above ? figure.low > gate.threshold : figure.high < gate.threshold;
  const bool none = is_above ? figure.high <= gate.threshold : figure.low >= gate.threshold;
  return all ? GateAnswer::kFail : none ? GateAnswer::kPass : GateAnswer::kUndecided;
}

// `why`: the answer cannot be had; empty: it can.
GateResult result_of(const Gate& gate, const GateFigure& figure, std::string_view unit, const std::string& why) {
  GateResult result{answer_for(gate, figure), figures_text(gate, figure, unit), figure};
  if (why.empty()) return result;
  result.answer = GateAnswer::kUndecided;
  result.why += "; " + why;
  return result;
}

GateResult judge_value(const Gate& gate, const AnalyzedCase& one) {
  const MetricRow* row = find_metric(one.analysis.metrics, gate.metric, gate.statistic);
  if (row == nullptr || !row->value) return {GateAnswer::kUndecided, why_missing(one, gate.metric, gate.statistic), {}};
  const GateFigure figure = figure_of(*row);
  std::string why = why_row_doubted(one, *row);
  if (why.empty() && !is_exact(*row) && !figure.has_interval) why = "it has no interval";
  return result_of(gate, figure, row->unit, why);
}

GateResult judge_change(const Gate& gate, const CasePair& pair, const SpeedComparison& speed) {
  const MetricChange change = change_of(pair, speed, gate.metric, gate.statistic);
  if (!change.before || !change.after || !change.ratio) return {GateAnswer::kUndecided, change.reason, {}};
  const bool is_relative = gate.subject == GateSubject::kChange;
  const GateFigure figure = is_relative ? GateFigure{change.ratio->value - 1, change.ratio->low - 1,
                                                     change.ratio->high - 1, change.has_interval}
                                        : difference_of(change);
  return result_of(gate, figure, change.after->unit, change.reason);
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
  constexpr double kUnseen = 5e-5;  // shown as 0.005 %
  if (std::isinf(share)) return "from 0";
  if (std::abs(share) < kUnseen) return "0 %";
  return fmt::format("{}{} %", share < 0 ? "−" : "+", format_number(std::abs(share) * 100));
}

bool is_decided(const std::vector<Gate>& gates, const CaseRecord& record, const Quotient& speed_up) {
  const bool has_cycles = number_of_path(record.effective, {"cycle_batches"}).value_or(1) > 1;
  const GateFigure change{1 / speed_up.value - 1, 1 / speed_up.high - 1, 1 / speed_up.low - 1, true};
  bool is_asked = false;
  for (const Gate& gate : gates) {
    const bool is_headline = gate.metric == (has_cycles ? "cycle_time" : "latency") &&
                             (gate.statistic.empty() || gate.statistic == (has_cycles ? "mean" : "median"));
    if (!is_headline || gate.subject != GateSubject::kChange) continue;
    if (answer_for(gate, change) == GateAnswer::kUndecided) return false;
    is_asked = true;
  }
  return is_asked || answer_of(speed_up) != SpeedAnswer::kUndecided;
}

GateResult judge(const Gate& gate, const CasePair& pair, const SpeedComparison& speed) {
  if (!pair.after) return {GateAnswer::kUndecided, "there is no such case after", {}};
  const bool was_ok = pair.before && pair.before->is_ok();
  const std::optional<Status> status = pair.after->record->status;
  const bool has_failed = status && *status != Status::kOk && *status != Status::kInterrupted;
  if (!pair.after->is_ok()) {
    return {was_ok && has_failed ? GateAnswer::kFail : GateAnswer::kUndecided, why_not_ok(*pair.after), {}};
  }
  const auto is_invalid = [](const AnalyzedCase& one) { return one.analysis.verdict.level == VerdictLevel::kInvalid; };
  if (is_invalid(*pair.after)) {
    const bool was_valid = was_ok && !is_invalid(*pair.before);
    return {was_valid ? GateAnswer::kFail : GateAnswer::kUndecided, why_doubted(*pair.after), {}};
  }
  if (gate.subject == GateSubject::kValue) return judge_value(gate, *pair.after);
  if (!pair.before) return {GateAnswer::kUndecided, "there is no such case before", {}};
  if (!was_ok) return {GateAnswer::kUndecided, why_not_ok(*pair.before), {}};
  if (is_invalid(*pair.before)) return {GateAnswer::kUndecided, why_doubted(*pair.before), {}};
  return judge_change(gate, pair, speed);
}

}  // namespace transformeter
