// The same parts in the same order in every form.
#include "report/diagnosis_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "analysis/results.h"
#include "metrics/train_metrics.h"
#include "report/column_text.h"
#include "report/diagnosis_columns.h"
#include "report/display_text.h"
#include "report/finding_json.h"
#include "report/markdown_text.h"

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

using Width = std::optional<std::size_t>;  // of the terminal; nothing for a file

// Indented by `indent`; for a terminal wrapped at blanks, with further lines two deeper.
void append_words(std::string& text, std::string_view words, Width width, std::size_t indent = 0) {
  text.append(indent, ' ').append(width ? wrapped(words, *width, indent + 2, indent) : one_line(words)).append("\n");
}

void append_finding(std::string& text, const TrainingFinding& finding, Width width) {
  append_words(text, fmt::format("{}: {}: {}", finding.pattern, state_text(finding), words_of(finding)), width);
  for (const Advice& advice : finding.advice) append_words(text, "advice: " + advice_text(advice), width, 2);
}

std::string bullet(std::string_view text) {
  return "- " + escape_markdown(text) + "\n";
}

std::string finding_bullets(const TrainingFinding& finding) {
  std::string text = fmt::format("- **{}** {}: {}\n", escape_markdown(finding.pattern), state_text(finding),
                                 escape_markdown(words_of(finding)));
  for (const Advice& advice : finding.advice) text += "  - advice: " + escape_markdown(advice_text(advice)) + "\n";
  return text;
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

std::string diagnosis_text(const TrainingDiagnosis& diagnosis, std::optional<std::size_t> width) {
  std::string text;
  for (const SeriesDiagnosis& one : diagnosis.series) {
    append_words(text, series_title(one.series), width);
    if (!one.series.points.empty()) {
      const ColumnText table = column_text(diagnosis_columns(one.series), width, {});
      text += table.text;
      if (!table.left_out.empty()) {
        append_words(text, fmt::format("hidden (terminal too narrow): {}", fmt::join(table.left_out, ", ")), width);
      }
    }
    text += "\n";
    for (const TrainingFinding* finding : in_order(one.findings)) append_finding(text, *finding, width);
    for (const std::string& line : closing_lines(one.series)) append_words(text, line, width);
    text += "\n";
  }
  for (const DeviceDiagnosis& devices : diagnosis.devices) {
    append_words(text, device_title(devices), width);
    append_finding(text, devices.finding, width);
    text += "\n";
  }
  append_words(text, run_line(*diagnosis.run), width);
  return text;
}

std::string diagnosis_markdown(const TrainingDiagnosis& diagnosis) {
  std::string text = "# Training time breakdown\n\n" + escape_markdown(run_line(*diagnosis.run)) + ".\n\n";
  for (const SeriesDiagnosis& one : diagnosis.series) {
    text += "## " + escape_markdown(series_title(one.series)) + "\n\n";
    if (!one.series.points.empty()) text += markdown_table(diagnosis_columns(one.series)) + "\n";
    for (const TrainingFinding* finding : in_order(one.findings)) text += finding_bullets(*finding);
    for (const std::string& line : closing_lines(one.series)) text += bullet(line);
    text += "\n";
  }
  for (const DeviceDiagnosis& devices : diagnosis.devices) {
    text += "## " + escape_markdown(device_title(devices)) + "\n\n" + finding_bullets(devices.finding) + "\n";
  }
  text.pop_back();  // one line break at the end
  return text;
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
