// One function per section, in the order of the page.
#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/answers.h"
#include "report/case_columns.h"
#include "report/command_line.h"
#include "report/display_text.h"
#include "report/legend.h"
#include "report/markdown_text.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

std::string bullet(std::string_view text) {
  return "- " + escape_markdown(text) + "\n";
}

std::string bullets(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list.append(bullet(text));
  return list;
}

std::string title(const AnalyzedRun& run, const std::string& store) {
  const RunRecord& record = *run.run;
  std::string text = fmt::format("# Run {}\n\n", escape_markdown(record.name.empty() ? record.id : record.name));
  text += fmt::format("Run {}, started {}", escape_markdown(record.id), escape_markdown(record.started_at));
  if (!store.empty()) text += fmt::format(", kept in {}", escape_markdown(store));
  return text + ".\n\n";
}

std::string answer_section(const AnalyzedRun& run) {
  std::string text =
      "## What was measured\n\n" + bullets(answers(run)) + bullets(weights_lines(run)) + bullets(data_lines(run));
  return text + bullets(unfinished_lines(run)) + "\n";
}

std::string case_section(const AnalyzedRun& run) {
  std::string text = "## Cases\n\n";
  if (run.cases.empty()) return text + "The run has no cases.\n\n";
  return text + markdown_table(case_columns(run)) + "\n" + bullets(interval_lines(run)) + "\n";
}

std::string memory_section(const AnalyzedRun& run) {
  const std::vector<CaseColumn> columns = memory_columns(run);
  const std::size_t labels = std::max<std::size_t>(1, run.axes.size());
  if (run.cases.empty() || columns.size() <= labels) return "## Memory\n\nNo case has a memory figure.\n\n";
  return "## Memory\n\n" + markdown_table(columns) + "\nEach figure is explained in docs/metrics.md. " +
         "A dash stands for a figure that is missing; the JSON names the reason.\n\n";
}

std::string finding_table(const std::vector<FindingGroup>& groups) {
  std::vector<CaseColumn> columns(4);
  const char* headings[] = {"word", "case", "figures", "meaning"};
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].heading = headings[i];
  for (const FindingGroup& group : groups) {
    for (std::size_t i = 0; i < group.labels.size(); ++i) {
      const std::string cells[] = {group.name, group.labels[i], group.details[i], group.meaning};
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].cells.push_back(cells[c]);
    }
  }
  return markdown_table(columns) + "\n";
}

std::string verdict_section(const AnalyzedRun& run) {
  const std::vector<FindingGroup> reasons = reason_groups(run);
  const std::vector<FindingGroup> notes = note_groups(run);
  std::string text = "## Verdicts\n\n";
  text += reasons.empty() ? "No measured case has a reason for doubt.\n\n"
                          : "Reasons for doubt:\n\n" + finding_table(reasons);
  if (!notes.empty()) text += "Notes, which are no faults:\n\n" + finding_table(notes);
  return text;
}

// One row for each plain value, by its path; `null_reasons` tell why a value is missing and are shown beside it.
void add_environment_rows(const Json& json, const std::string& path, CaseColumn& names, CaseColumn& values) {
  for (const auto& [key, value] : json.items()) {
    if (key == "null_reasons") continue;
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object() && !value.empty()) {
      add_environment_rows(value, name, names, values);
      continue;
    }
    const Json reasons = json.value("null_reasons", Json::object());
    std::string text =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (value.is_null()) text = "-";
    if (value.is_null() && reasons.is_object() && reasons.contains(key) && reasons.at(key).is_string()) {
      text = fmt::format("- ({})", reasons.at(key).get<std::string>());
    }
    constexpr std::size_t kWidest = 120;
    names.cells.push_back(one_line(name));
    values.cells.push_back(cut_to_columns(one_line(text), kWidest));
  }
}

std::string environment_section(const AnalyzedRun& run) {
  std::string text = "## Environment\n\n" + escape_markdown(host_line(run)) + ".\n\n";
  CaseColumn names;
  CaseColumn values;
  names.heading = "what";
  values.heading = "value";
  if (run.run->host.is_object()) add_environment_rows(run.run->host, "", names, values);
  return names.cells.empty() ? text : text + markdown_table({names, values}) + "\n";
}

std::string settings_section(const AnalyzedRun& run) {
  CaseColumn names;
  CaseColumn values;
  CaseColumn origins;
  names.heading = "setting";
  values.heading = "values";
  origins.heading = "origin";
  const Json settings = run.run->settings.is_object() ? run.run->settings : Json::object();
  for (const auto& [name, setting] : settings.items()) {
    std::vector<std::string> texts;
    const Json list = setting.is_object() ? setting.value("values", Json::array()) : Json::array({setting});
    for (const Json& value : list) texts.push_back(value.is_structured() ? canonical_json(value) : setting_text(value));
    const Json origin = setting.is_object() ? setting.value("origin", Json()) : Json();
    names.cells.push_back(name);
    values.cells.push_back(fmt::format("{}", fmt::join(texts, ", ")));
    origins.cells.push_back(origin.is_string() ? origin.get<std::string>() : "-");
  }
  if (names.cells.empty()) return "## Settings\n\nNone were stored.\n\n";
  return "## Settings\n\n" + markdown_table({names, values, origins}) + "\n";
}

std::string reproduce_section(const AnalyzedRun& run) {
  return "## How to repeat it\n\n" + fenced(reproduce_command(*run.run)) + "\n";
}

// Fixed words: what every figure of the tables is.
std::string meaning_section() {
  return R"(## What the numbers mean

- Latency is the median time of one batch through the model, from inputs in memory to outputs in memory; texts are tokenised before. Cycle time is the time of one pass over all batches of a workload with natural lengths, whose batches differ.
- The interval beside a value holds the true value with 95 % confidence. Named within_process, it holds no variance between processes; named between_replicates, it is over fresh processes.
- Samples per second and tokens per second are total work ÷ total time. Tokens are useful tokens: padding is not counted.
- Peak RSS is the largest resident memory of the worker while it measured. Tensors is the largest sum of live tensor memory, weights mapped from files not counted.
- Speed-up is time of the baseline ÷ time of the candidate. It is given, and faster, slower or same is said, only for cases with 3 or more replicates of the same workload; all else is undecided.
- A verdict says whether a row can be believed; notes are no faults. docs/metrics.md defines every metric and every word of a verdict.
)";
}

}  // namespace

std::string run_markdown(const AnalyzedRun& run, const std::string& store) {
  return title(run, store) + answer_section(run) + case_section(run) + memory_section(run) + verdict_section(run) +
         environment_section(run) + settings_section(run) + reproduce_section(run) + meaning_section();
}

}  // namespace transformeter
