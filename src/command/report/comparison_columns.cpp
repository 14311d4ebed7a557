// From pairs to cells.
#include "report/comparison_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/case_label.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "report/chips.h"
#include "report/metric_columns.h"
#include "report/metric_text.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

using PairCell = std::function<Cell(const BaselinePair&)>;

Column column_of(const BaselineTable& table, std::string heading, const PairCell& cell) {
  Column column;
  column.heading = std::move(heading);
  for (const BaselinePair& pair : table.pairs) column.cells.push_back(cell(pair));
  return column;
}

Column number_column(const BaselineTable& table, std::string heading, const PairCell& cell) {
  Column column = column_of(table, std::move(heading), cell);
  column.is_number = true;
  return column;
}

bool has_value(const MetricRow* row) {
  return row != nullptr && row->value && std::isfinite(*row->value);
}

// "12.3 ± 0.4 %".
std::string saved_text(const MetricRow* row) {
  if (!has_value(row)) return "-";
  constexpr double kPercent = 100;
  if (!row->low || !row->high) return fmt::format("{:.1f} %", *row->value * kPercent);
  const double half_width = std::max(*row->high - *row->value, *row->value - *row->low);  // as in other tables
  if (half_width > 1) return fmt::format("{:.1f} ± > 100 %", *row->value * kPercent);
  return fmt::format("{:.1f} ± {:.1f} %", *row->value * kPercent, half_width * kPercent);
}

Column saved_column(const BaselineTable& table, std::string heading, const char* name) {
  return number_column(table, std::move(heading),
                       [&](const BaselinePair& pair) { return saved_text(find_row(pair, name)); });
}

std::string quantity_text(const MetricRow* row) {
  return has_value(row) ? format_quantity(*row->value, row->unit) : "-";
}

// "0.912 → 0.911"; "-" where neither has a value.
std::string change_text(const MetricRow* from, const MetricRow* to) {
  if (!has_value(from) && !has_value(to)) return "-";
  return fmt::format("{} → {}", quantity_text(from), quantity_text(to));
}

std::string both_text(const BaselinePair& pair, const char* metric) {
  const auto row_of = [&](const AnalyzedCase* one) { return one == nullptr ? nullptr : shown_metric(*one, metric); };
  return change_text(row_of(pair.baseline), row_of(pair.candidate));
}

// Of generate the kernels of both phases, "flash prefill, math decode", unless they are one.
std::optional<std::string> kernel_text(const AnalyzedCase* one) {
  if (one == nullptr) return std::nullopt;
  const Json& effective = one->record->effective;
  if (auto kernel = text_of_path(effective, {"attention_kernel"})) return kernel;
  const auto prefill = text_of_path(effective, {"attention_kernel_prefill"});
  const auto decode = text_of_path(effective, {"attention_kernel_decode"});
  if (!prefill || !decode || *prefill == *decode) return prefill ? prefill : decode;
  return fmt::format("{} prefill, {} decode", *prefill, *decode);
}

std::string times_text(const BaselinePair& pair) {
  const auto row_of = [](const AnalyzedCase* one) { return one == nullptr ? nullptr : headline_time(*one); };
  return change_text(row_of(pair.baseline), row_of(pair.candidate));
}

void add_optional(std::vector<Column>& columns, Column column) {
  columns.push_back(std::move(column));
  columns.back().may_be_left_out = true;
}

// "undecided (3 pairs): the reason" for each reason, in the order of their first pairs.
void add_counted(std::vector<std::string>& lines, const std::string& what, const std::vector<std::string>& reasons) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> order;
  for (const std::string& reason : reasons) {
    if (counts[reason]++ == 0) order.push_back(reason);
  }
  for (const std::string& reason : order) {
    lines.push_back(fmt::format("{} ({}): {}", what, counted(counts[reason], "pair"), reason));
  }
}

}  // namespace

std::vector<std::string> arm_axes(const AnalyzedRun& run, const BaselineTable& table) {
  std::vector<std::string> axes;
  std::copy_if(run.axes.begin(), run.axes.end(), std::back_inserter(axes), [&](const std::string& axis) {
    return std::find(table.arm.begin(), table.arm.end(), axis) != table.arm.end();
  });
  return axes;
}

std::string speed_up_text(const Quotient& speed_up) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", speed_up.value, speed_up.low, speed_up.high);
}

std::string speed_up_text(const MetricRow* row) {
  if (!has_value(row)) return "-";
  if (!row->low || !row->high) return fmt::format("{:.3f}", *row->value);
  return speed_up_text({*row->value, *row->low, *row->high});
}

std::string kernels_text(const BaselinePair& pair) {
  const auto from = kernel_text(pair.baseline);
  const auto to = kernel_text(pair.candidate);
  if (!from && !to) return "";
  return fmt::format("{} → {}", from.value_or("-"), to.value_or("-"));
}

std::vector<Column> comparison_columns(const AnalyzedRun& run, const BaselineTable& table) {
  std::vector<Column> columns;
  if (table.pairs.empty()) return columns;
  std::vector<std::string> settings = table.groups;
  for (const std::string& axis : arm_axes(run, table)) settings.push_back(axis);
  for (const std::string& setting : settings) {
    columns.push_back(column_of(table, axis_heading(setting), [&](const BaselinePair& pair) {
      return setting_value_text(*pair.candidate->record, setting);
    }));
    columns.back().is_number = setting == "batch_size" || setting == "sequence_length" || setting == "padding";
  }
  columns.push_back(number_column(table, "speed-up",
                                  [](const BaselinePair& pair) { return speed_up_text(find_row(pair, "speed_up")); }));
  columns.push_back(saved_column(table, "time saved", "time_saved"));
  columns.push_back(saved_column(table, "memory saved", "memory_saved"));
  add_optional(columns, saved_column(table, "tensors saved", "tensor_memory_saved"));
  for (const char* metric : {"accuracy", "word_error_rate", "divergence"}) {
    if (!any_value(run, metric)) continue;
    add_optional(columns,
                 number_column(table, metric, [&](const BaselinePair& pair) { return both_text(pair, metric); }));
  }
  add_optional(columns, column_of(table, "kernel", kernels_text));
  add_optional(columns, number_column(table, "time", times_text));
  columns.push_back(column_of(table, "answer", [](const BaselinePair& pair) {
    Cell cell;
    cell.chips = {answer_chip(pair.speed.answer)};
    return cell;
  }));
  return columns;
}

std::string comparison_legend(const BaselineTable& table) {
  if (!table.note.empty()) return fmt::format("no comparison with the baseline: {}", table.note);
  return fmt::format(
      "compared with {}: speed-up = baseline time ÷ candidate time; saved = 1 − candidate ÷ baseline; memory = peak "
      "RSS above that at process start; arrows point from baseline to candidate; in brackets or ±: intervals, 99 % "
      "over pairs of slices, 95 % over processes",
      baseline_text(table.baseline));
}

std::string speed_up_words(const Quotient& speed_up, double level) {
  constexpr double kPercent = 100;
  return fmt::format("speed-up {:.3f} ({:.0f} % interval {:.3f} to {:.3f})", speed_up.value, level * kPercent,
                     speed_up.low, speed_up.high);
}

std::string tolerated_text(const std::string& doubt) {
  return doubt + ", which the interval over pairs of slices covers";
}

std::vector<std::string> comparison_notes(const BaselineTable& table) {
  std::vector<std::string> lines;
  std::vector<std::string> undecided;
  std::vector<std::string> tolerated;
  std::vector<std::string> missing;
  for (const BaselinePair& pair : table.pairs) {
    if (pair.speed.answer == SpeedAnswer::kUndecided) undecided.push_back(pair.speed.reason);
    for (const std::string& doubt : pair.speed.tolerated_doubts) tolerated.push_back(tolerated_text(doubt));
    const MetricRow* memory = find_row(pair, "memory_saved");
    if (memory != nullptr && !memory->value && memory->reason != pair.speed.reason) missing.push_back(memory->reason);
  }
  add_counted(lines, "undecided", undecided);
  add_counted(lines, "answered despite a doubt", tolerated);
  add_counted(lines, "memory saved is missing", missing);
  return lines;
}

}  // namespace transformeter
