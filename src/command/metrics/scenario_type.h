// What readers make of a scenario's cases: metrics, columns, figures and answers. One file for each scenario, e.g.
// batch_scenario.cpp; CONTRIBUTING.md says how one is added.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/slices.h"
#include "schema/record.h"
#include "schema/scenario.h"

namespace transformeter {

/// How a column of the table of cases shows its metric.
enum class ColumnForm {
  kHeadline,     // of latency or cycle time whichever the case has; the heading follows from the cases
  kQuantity,     // with unit and interval
  kRate,         // with interval; the heading has the unit
  kNumber,       // as it is; bytes with their unit
  kUndisturbed,  // with interval, and which part of the samples it is made of
};

struct ScenarioColumn {
  std::string_view heading;
  const char* metric;
  ColumnForm form;
  bool may_be_left_out = false;  // where the width does not allow it
  bool needs_values = false;     // left out where no case has one
};

/// A metric against what was swept.
struct ScenarioFigure {
  const char* metric;
  const char* title;
  const char* axis;    // words along the axis
  const char* better;  // begins the note
};

/// A sentence of a report's first lines: the best case by a metric.
struct ScenarioAnswer {
  const char* metric;
  bool is_highest;    // best: the highest, else the lowest
  const char* words;  // begin the sentence
};

struct ScenarioType {
  Scenario scenario;
  bool has_latencies;  // of all samples and of the undisturbed ones: how its metrics begin
  /// What comes then.
  std::vector<MetricRow> (*metrics)(const CaseRecord& the_case, const Slices& slices);
  std::span<const ScenarioColumn> columns;
  std::span<const ScenarioFigure> figures;  // in the order of the page
  std::span<const ScenarioAnswer> answers;
  std::string_view meaning;           // what a reader must know of its times; empty: nothing that metrics do not say
  const char* unit_time = "latency";  // what the time of a unit is called
};

ScenarioType batch_scenario();
ScenarioType offline_scenario();
ScenarioType generate_scenario();
ScenarioType train_scenario();

/// All that a run measures.
inline constexpr std::array kScenarioTypes{batch_scenario, offline_scenario, generate_scenario, train_scenario};

/// That of batch for a scenario that no run measures.
const ScenarioType& scenario_type(Scenario scenario);

/// In the order of the table.
const std::vector<ScenarioType>& scenario_types();

}  // namespace transformeter
