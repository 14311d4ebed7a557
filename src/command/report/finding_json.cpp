// What is missing is null.
#include "report/finding_json.h"

#include "analysis/results.h"

namespace transformeter {
namespace {

Json end_json(const std::optional<Interval>& interval, double Interval::*end) {
  return interval ? Json((*interval).*end) : Json();
}

Json gain_json(const PredictedGain& gain) {
  return {{"quantity", gain.quantity},
          {"factor", gain.factor},
          {"low", end_json(gain.interval, &Interval::low)},
          {"high", end_json(gain.interval, &Interval::high)},
          {"formula", gain.formula},
          {"is_upper_bound", gain.is_upper_bound}};
}

}  // namespace

Json figure_json(const EvidenceFigure& figure) {
  return {{"name", figure.name},
          {"unit", figure.unit},
          {"value", figure.value},
          {"low", end_json(figure.interval, &Interval::low)},
          {"high", end_json(figure.interval, &Interval::high)},
          {"case", text_or_null(figure.case_id)}};
}

Json finding_json(const TrainingFinding& finding) {
  Json json = {{"pattern", finding.pattern},
               {"state", name_of(finding.state)},
               {"statement", text_or_null(finding.statement)},
               {"reason", text_or_null(finding.reason)},
               {"figures", Json::array()},
               {"advice", Json::array()},
               {"cases", finding.cases}};
  for (const EvidenceFigure& figure : finding.figures) json["figures"].push_back(figure_json(figure));
  for (const Advice& advice : finding.advice) {
    json["advice"].push_back({{"text", advice.text}, {"gain", advice.gain ? gain_json(*advice.gain) : Json()}});
  }
  return json;
}

}  // namespace transformeter
