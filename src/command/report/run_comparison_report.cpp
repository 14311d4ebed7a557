// Time first, then what else a user weighs.
#include "report/run_comparison_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/case_label.h"
#include "analysis/metric_change.h"
#include "analysis/results.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "report/comparison_columns.h"
#include "report/html_text.h"
#include "report/metric_text.h"
#include "schema/record.h"
#include "stats/paired.h"

namespace transformeter {
namespace {

// Beside times: what a faster case may cost.
constexpr std::array<const char*, 14> kBeside{"throughput_samples",
                                              "time_to_first_token",
                                              "throughput_prefill_tokens",
                                              "throughput_decode_tokens",
                                              "peak_rss",
                                              "peak_allocated",
                                              "energy",
                                              "accuracy",
                                              "macro_f1",
                                              "word_error_rate",
                                              "character_error_rate",
                                              "log_loss",
                                              "divergence",
                                              "loss"};

struct NamedChange {
  std::string metric;
  MetricChange change;
};

// Of those that both sides have.
std::vector<NamedChange> changes_of(const ComparedPair& pair) {
  std::vector<NamedChange> changes;
  if (!pair.cases.before || !pair.cases.after) return changes;
  for (const char* metric : kBeside) {
    MetricChange change = change_of(pair.cases, pair.speed, metric, "");
    if (change.before && change.after) changes.push_back({metric, std::move(change)});
  }
  return changes;
}

std::string value_cell(const std::optional<MetricRow>& row) {
  return row ? value_text(&*row) : "-";
}

std::string ratio_cell(const MetricChange& change) {
  if (!change.ratio) return "-";
  constexpr double kFactor = 10;  // from which on a share is hard to read
  if (!change.has_interval && change.ratio->value >= kFactor && std::isfinite(change.ratio->value)) {
    return fmt::format("{} times", format_number(change.ratio->value));
  }
  std::string value = signed_share(change.ratio->value - 1);
  if (!change.has_interval) return value;
  return fmt::format("{} ({} to {})", value, signed_share(change.ratio->low - 1), signed_share(change.ratio->high - 1));
}

// Half the interval's length on the scale of changes: smaller ones would not be seen.
std::string resolution_cell(const SpeedComparison& speed) {
  if (!speed.speed_up || !(speed.speed_up->low > 0)) return "-";
  return format_number(100 * (std::sqrt(speed.speed_up->high / speed.speed_up->low) - 1)) + " %";
}

const MetricRow* time_of(const std::optional<AnalyzedCase>& one) {
  return one && one->is_ok() ? headline_time(*one) : nullptr;
}

std::string reason_of(const ComparedPair& pair) {
  return pair.speed.answer == SpeedAnswer::kUndecided ? pair.speed.reason : "";
}

// A case that one side lacks, or that has no result there, is not undecided.
std::string counted_as(const ComparedPair& pair) {
  if (!pair.cases.before) return "only after";
  if (!pair.cases.after) return "only before";
  if (!pair.cases.before->is_ok() || !pair.cases.after->is_ok()) {
    const AnalyzedCase& one = pair.cases.after->is_ok() ? *pair.cases.before : *pair.cases.after;
    return fmt::format("{} {}", status_word(*one.record), &one == &*pair.cases.after ? "after" : "before");
  }
  return std::string(name_of(pair.speed.answer));
}

// Of replicates, as every interval of this kind, nothing is said.
std::string how_compared(const SpeedComparison& speed) {
  if (speed.by == ComparedBy::kReplicates) return "";
  const bool is_of_one = speed.by == ComparedBy::kQuads && speed.level == kPairedLevel;
  const char* const what = is_of_one ? "of slices" : "of processes, each of slices in turns";
  return fmt::format("by {} pairs {}, with an interval of {:.0f} %", speed.n, what, 100 * speed.level);
}

// Lines of reasons, each with those that share it.
class Reasons {
 public:
  void add(const std::string& reason, const std::string& label) {
    if (!reason.empty()) labels_[reason].push_back(label);
  }
  void append_lines(const char* what, std::size_t all, std::vector<std::string>& lines) const {
    for (const auto& [reason, labels] : labels_) {
      const bool is_all = labels.size() == all && all > 1;
      lines.push_back(fmt::format("{}: {}: {}", what, is_all ? "all" : named(labels), reason));
    }
  }

 private:
  static std::string named(const std::vector<std::string>& labels) {
    constexpr std::ptrdiff_t kNamed = 3;
    const auto count = static_cast<std::ptrdiff_t>(labels.size());
    const auto end = labels.begin() + std::min(kNamed, count);
    const std::string rest = count > kNamed ? fmt::format(" and {} more", count - kNamed) : "";
    return fmt::format("{}{}", fmt::join(labels.begin(), end, "; "), rest);
  }

  std::map<std::string, std::vector<std::string>> labels_;
};

Table time_table(const RunComparison& comparison) {
  Table table;
  table.columns = {{"case"},
                   {.heading = "before", .is_number = true, .may_be_left_out = true},
                   {.heading = "after", .is_number = true, .may_be_left_out = true},
                   {"speed-up", true},
                   {.heading = "detectable", .is_number = true, .may_be_left_out = true},
                   {"answer"}};
  for (const ComparedPair& pair : comparison.pairs) {
    add_row(table, {pair.cases.label, value_text(time_of(pair.cases.before)), value_text(time_of(pair.cases.after)),
                    pair.speed.speed_up ? speed_up_text(*pair.speed.speed_up) : "-", resolution_cell(pair.speed),
                    counted_as(pair)});
  }
  Reasons undecided;
  Reasons paired;
  for (const ComparedPair& pair : comparison.pairs) {
    undecided.add(reason_of(pair), pair.cases.label);
    for (const std::string& doubt : pair.speed.tolerated_doubts) {
      table.notes.push_back("answered despite a doubt: " + tolerated_text(doubt));
    }
    if (pair.speed.speed_up) paired.add(how_compared(pair.speed), pair.cases.label);
  }
  const std::size_t all = comparison.pairs.size();
  undecided.append_lines("undecided", all, table.notes);
  paired.append_lines("compared", all, table.notes);
  return table;
}

Table beside_table(const RunComparison& comparison) {
  Table table;
  Reasons reasons;
  table.columns = {{"case"},
                   {"metric"},
                   {.heading = "before", .is_number = true, .may_be_left_out = true},
                   {.heading = "after", .is_number = true, .may_be_left_out = true},
                   {"change", true}};
  for (const ComparedPair& pair : comparison.pairs) {
    for (const NamedChange& one : changes_of(pair)) {
      add_row(table, {pair.cases.label, one.metric, value_cell(one.change.before), value_cell(one.change.after),
                      ratio_cell(one.change)});
      reasons.add(one.change.reason, fmt::format("{} {}", pair.cases.label, one.metric));
    }
  }
  reasons.append_lines("no interval, or doubtful", table.row_count(), table.notes);
  return table;
}

Table gate_table(const RunComparison& comparison) {
  Table table;
  table.columns = {{"fails if"}, {"case"}, {"answer"}, {"measured"}};
  for (std::size_t i = 0; i < comparison.gates.size(); ++i) {
    for (const ComparedPair& pair : comparison.pairs) {
      add_row(table, {comparison.gates[i].text, pair.cases.label, std::string(name_of(pair.gates[i].answer)),
                      pair.gates[i].why});
    }
  }
  return table;
}

std::string side_text(const RunSelection& side) {
  return side.run->id == side.name ? side.name : fmt::format("{} ({})", side.name, side.run->id);
}

std::string sides_text(const RunComparison& comparison) {
  const RunSelection& before = comparison.before;
  const RunSelection& after = comparison.after;
  if (before.run->id != after.run->id) return fmt::format("{} after {}", side_text(after), side_text(before));
  return fmt::format("{} after {}, in run {}", after.name, before.name, after.run->id);
}

std::string counts_text(const RunComparison& comparison) {
  std::vector<std::pair<std::string, int>> counts;
  for (const ComparedPair& pair : comparison.pairs) {
    const std::string word = counted_as(pair);
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == word; });
    if (known == counts.end()) {
      counts.emplace_back(word, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string gates_text(const RunComparison& comparison) {
  std::map<GateAnswer, int> counts;
  for (const ComparedPair& pair : comparison.pairs) {
    for (const GateResult& gate : pair.gates) ++counts[gate.answer];
  }
  std::vector<std::string> parts;
  for (const auto& [answer, count] : counts) parts.push_back(fmt::format("{} {}", count, name_of(answer)));
  return fmt::format("{}: {}", name_of(comparison.gate_answer()), fmt::join(parts, ", "));
}

Json quotient_json(const std::optional<Quotient>& one, bool has_interval) {
  if (!one) return Json();
  return {{"value", one->value},
          {"low", has_interval ? Json(one->low) : Json()},
          {"high", has_interval ? Json(one->high) : Json()}};
}

Json figure_json(const std::optional<GateFigure>& one) {
  return one ? quotient_json(Quotient{one->value, one->low, one->high}, one->has_interval) : Json();
}

Json side_json(const RunSelection& side) {
  Json filters = Json::object();
  for (const auto& [setting, value] : side.filters) filters[setting] = value;
  return {{"selection", side.name}, {"run", side.run->id}, {"name", side.run->name}, {"where", std::move(filters)}};
}

Json pair_json(const RunComparison& comparison, const ComparedPair& pair) {
  Json metrics = Json::array();
  for (const NamedChange& one : changes_of(pair)) {
    metrics.push_back({{"name", one.metric},
                       {"statistic", one.change.before->statistic},
                       {"unit", one.change.before->unit},
                       {"before", *one.change.before->value},
                       {"after", *one.change.after->value},
                       {"ratio", quotient_json(one.change.ratio, one.change.has_interval)},
                       {"reason", text_or_null(one.change.reason)}});
  }
  Json gates = Json::array();
  for (std::size_t i = 0; i < pair.gates.size(); ++i) {
    gates.push_back({{"fails_if", comparison.gates[i].text},
                     {"answer", name_of(pair.gates[i].answer)},
                     {"measured", figure_json(pair.gates[i].measured)},
                     {"why", pair.gates[i].why}});
  }
  const MetricRow* from = time_of(pair.cases.before);
  const MetricRow* to = time_of(pair.cases.after);
  return {{"label", pair.cases.label},
          {"case_before", pair.cases.before ? Json(pair.cases.before->record->id) : Json()},
          {"case_after", pair.cases.after ? Json(pair.cases.after->record->id) : Json()},
          {"before_s", from != nullptr && from->value ? Json(*from->value) : Json()},
          {"after_s", to != nullptr && to->value ? Json(*to->value) : Json()},
          {"speed_up", quotient_json(pair.speed.speed_up, true)},
          {"confidence_level", pair.speed.speed_up ? Json(pair.speed.level) : Json()},
          {"compared_by", name_of(pair.speed.by)},
          {"n", pair.speed.n},
          {"answer", name_of(pair.speed.answer)},
          {"reason", text_or_null(reason_of(pair))},
          {"metrics", std::move(metrics)},
          {"gates", std::move(gates)}};
}

// What every pair has on both sides, and on which machine: labels name the rest.
std::string shared_text(const RunComparison& comparison) {
  std::vector<std::string> parts;
  for (const char* setting : {"model", "task", "scenario", "engine", "precision", "batch_size", "sequence_length"}) {
    std::optional<std::string> shared;
    bool is_shared = true;
    for (const ComparedPair& pair : comparison.pairs) {
      for (const auto* one : {&pair.cases.before, &pair.cases.after}) {
        if (!*one) continue;
        const std::string value = setting_value_text(*(*one)->record, setting);
        is_shared = is_shared && (!shared || *shared == value);
        shared = value;
      }
    }
    if (is_shared && shared && !shared->empty()) parts.push_back(fmt::format("{} {}", setting, *shared));
  }
  const auto from = text_of_path(comparison.before.run->host, {"cpu", "model"});
  const auto to = text_of_path(comparison.after.run->host, {"cpu", "model"});
  if (from && from == to) parts.push_back("on " + *from);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Document run_comparison_document(const RunComparison& comparison) {
  Document document;
  document.title = fmt::format("{} against {}", comparison.after.name, comparison.before.name);
  document.lead.emplace_back(Paragraph{fmt::format("{}: {}", sides_text(comparison), counts_text(comparison))});
  if (!comparison.gates.empty()) document.lead.emplace_back(Paragraph{gates_text(comparison), "gate"});
  document.lead.emplace_back(Paragraph{shared_text(comparison), "both sides"});
  if (!comparison.changes.empty()) {
    document.lead.emplace_back(Paragraph{fmt::format("{}", fmt::join(comparison.changes, ", ")), "changed"});
  }
  if (!comparison.crossed.empty()) {
    document.lead.emplace_back(Paragraph{fmt::format("{}", fmt::join(comparison.crossed, ", ")), "not alike", true});
  }
  if (!comparison.gates.empty()) {
    Section& gates = document.sections.emplace_back(Section{"gates", "Gates", {}});
    gates.blocks.emplace_back(gate_table(comparison));
  }
  Section& times = document.sections.emplace_back(Section{"times", "Times", {}});
  times.blocks.emplace_back(time_table(comparison));
  Table beside = beside_table(comparison);
  if (beside.row_count() > 0) {
    Section& others = document.sections.emplace_back(Section{"others", "What else changed", {}});
    others.blocks.emplace_back(std::move(beside));
  }
  return document;
}

Json run_comparison_json(const RunComparison& comparison) {
  Json pairs = Json::array();
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(pair_json(comparison, pair));
  return {{"schema_version", kResultSchemaVersion},
          {"before", side_json(comparison.before)},
          {"after", side_json(comparison.after)},
          {"changes", comparison.changes},
          {"crossed", comparison.crossed},
          {"pairs", std::move(pairs)},
          {"gate", comparison.gates.empty() ? Json() : Json(name_of(comparison.gate_answer()))}};
}

std::string run_comparison_junit(const RunComparison& comparison) {
  std::map<GateAnswer, int> counts;
  std::string cases;
  for (const ComparedPair& pair : comparison.pairs) {
    const AnalyzedCase& named = pair.cases.after ? *pair.cases.after : *pair.cases.before;
    const std::string model = setting_value_text(*named.record, "model");
    for (std::size_t i = 0; i < pair.gates.size(); ++i) {
      const GateResult& gate = pair.gates[i];
      ++counts[gate.answer];
      const std::string begin =
          fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escape_html(model + " " + pair.cases.label),
                      escape_html(comparison.gates[i].text));
      const char* element = gate.answer == GateAnswer::kFail ? "failure" : "skipped";
      cases += gate.answer == GateAnswer::kPass
                   ? fmt::format("{}><system-out>{}</system-out></testcase>\n", begin, escape_html(gate.why))
                   : fmt::format("{}><{} message=\"{}\"/></testcase>\n", begin, element, escape_html(gate.why));
    }
  }
  const int failed = counts[GateAnswer::kFail];
  const int undecided = counts[GateAnswer::kUndecided];
  const std::string totals = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                                         failed + undecided + counts[GateAnswer::kPass], failed, undecided);
  std::string properties;
  for (const std::string& one : comparison.crossed) {
    properties += fmt::format("      <property name=\"not alike\" value=\"{}\"/>\n", escape_html(one));
  }
  if (!properties.empty()) cases = fmt::format("    <properties>\n{}    </properties>\n{}", properties, cases);
  const std::string name = escape_html(fmt::format("{} after {}", comparison.after.name, comparison.before.name));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0}>\n{2}  "
      "</testsuite>\n</testsuites>\n",
      totals, name, cases);
}

}  // namespace transformeter
