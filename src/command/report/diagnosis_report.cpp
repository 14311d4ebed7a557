// A section for each series, then one for each pair of devices.
#include "report/diagnosis_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "analysis/results.h"
#include "metrics/train_metrics.h"
#include "report/diagnosis_columns.h"
#include "report/finding_json.h"

namespace transformeter {
namespace {

std::string state_text(const TrainingFinding& finding) {
  switch (finding.state) {
    case FindingState::kPresent:
      return "present";
    case FindingState::kAbsent:
      return "absent";
    case FindingState::kNotDetermined:
      return "not determined";
  }
  return "";
}

std::string words_of(const TrainingFinding& finding) {
  return finding.state == FindingState::kNotDetermined ? finding.reason : finding.statement;
}

std::string advice_text(const Advice& advice) {
  if (!advice.gain) return advice.text;
  return fmt::format("{} [{}]", advice.text, advice.gain->formula);
}

// What is present comes first, then what is not known: neither is to be overlooked.
std::vector<const TrainingFinding*> in_order(const std::vector<TrainingFinding>& findings) {
  std::vector<const TrainingFinding*> ordered;
  for (const FindingState state : {FindingState::kPresent, FindingState::kNotDetermined, FindingState::kAbsent}) {
    for (const TrainingFinding& finding : findings) {
      if (finding.state == state) ordered.push_back(&finding);
    }
  }
  return ordered;
}

std::string series_title(const TrainingSeries& series) {
  return series.device.empty() ? series.settings : fmt::format("{}: {}", series.device, series.settings);
}

std::string device_title(const DeviceDiagnosis& devices) {
  return fmt::format("{} and {}: {}", devices.first, devices.second, devices.settings);
}

std::vector<std::string> closing_lines(const TrainingSeries& series) {
  std::vector<std::string> lines;
  for (const LeftOutCase& one : series.left_out) {
    lines.push_back(
        fmt::format("excluded: {} ({}): {}", one.the_case->record->id, batch_text(one.batch_size), one.why));
  }
  for (const std::string& remark : series.remarks) lines.push_back("note: " + remark);
  return lines;
}

std::string run_line(const AnalyzedRun& run) {
  const std::string name = run.run->name.empty() ? "" : fmt::format(" \"{}\"", run.run->name);
  return fmt::format(
      "run {}{}; shares of the median step time, 95 % intervals; docs/training-diagnosis.md defines each pattern",
      run.run->id, name);
}

Item finding_item(const TrainingFinding& finding) {
  Item item{fmt::format("{}: {}", state_text(finding), words_of(finding)), finding.pattern};
  for (const Advice& advice : finding.advice) item.details.push_back("advice: " + advice_text(advice));
  return item;
}

Section series_section(const SeriesDiagnosis& one) {
  Section section{"", series_title(one.series), {}};
  if (!one.series.points.empty()) {
    Table table;
    table.columns = diagnosis_columns(one.series);
    drop_empty_columns(table);
    section.blocks.emplace_back(std::move(table));
  }
  List list;
  for (const TrainingFinding* finding : in_order(one.findings)) list.items.push_back(finding_item(*finding));
  for (const std::string& line : closing_lines(one.series)) list.items.push_back({line});
  section.blocks.emplace_back(std::move(list));
  return section;
}

Json value_or_null(const std::optional<EvidenceFigure>& figure) {
  return figure ? figure_json(*figure) : Json();
}

Json point_json(const TrainingPoint& point) {
  Json phases = Json::array();
  for (const std::string_view phase : kStepPhases) {
    phases.push_back({{"name", phase},
                      {"time", value_or_null(measured_figure(*point.the_case, phase))},
                      {"share", value_or_null(share_of_step(point, phase))}});
  }
  Json memory = Json::array();
  for (const char* metric : {"weight_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes", "peak_allocated",
                             "peak_allocated_forecast", "peak_rss"}) {
    if (const auto figure = measured_figure(*point.the_case, metric)) memory.push_back(figure_json(*figure));
  }
  return {{"case", point.the_case->record->id},
          {"batch_size", point.batch_size},
          {"examples_per_step", point.examples},
          {"step_time", figure_json(point.step_time)},
          {"throughput", figure_json(point.throughput)},
          {"padding_share", value_or_null(measured_figure(*point.the_case, "padding_share"))},
          {"phases", std::move(phases)},
          {"memory", std::move(memory)}};
}

Json series_json(const SeriesDiagnosis& one) {
  const TrainingSeries& series = one.series;
  Json json = {{"device", series.device},       {"settings", series.settings}, {"rate", series.rate},
               {"size_unit", series.size_unit}, {"cases", Json::array()},      {"left_out", Json::array()},
               {"remarks", series.remarks},     {"findings", Json::array()}};
  for (const TrainingPoint& point : series.points) json["cases"].push_back(point_json(point));
  for (const LeftOutCase& left : series.left_out) {
    json["left_out"].push_back(
        {{"case", left.the_case->record->id}, {"batch_size", left.batch_size}, {"why", left.why}});
  }
  for (const TrainingFinding& finding : one.findings) json["findings"].push_back(finding_json(finding));
  return json;
}

}  // namespace

Document diagnosis_document(const TrainingDiagnosis& diagnosis) {
  Document document;
  document.title = "Training time breakdown";
  for (const SeriesDiagnosis& one : diagnosis.series) document.sections.push_back(series_section(one));
  for (const DeviceDiagnosis& devices : diagnosis.devices) {
    document.sections.push_back({"", device_title(devices), {List{{finding_item(devices.finding)}}}});
  }
  document.closing = {{"", "", {Paragraph{run_line(*diagnosis.run)}}}};
  return document;
}

Json diagnosis_json(const TrainingDiagnosis& diagnosis) {
  Json json = {{"schema_version", kResultSchemaVersion},
               {"run", run_name_json(*diagnosis.run->run)},
               {"series", Json::array()},
               {"devices", Json::array()}};
  for (const SeriesDiagnosis& one : diagnosis.series) json["series"].push_back(series_json(one));
  for (const DeviceDiagnosis& devices : diagnosis.devices) {
    json["devices"].push_back({{"first", devices.first},
                               {"second", devices.second},
                               {"settings", devices.settings},
                               {"finding", finding_json(devices.finding)}});
  }
  return json;
}

}  // namespace transformeter
