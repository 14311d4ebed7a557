// Costs first, accuracy and size beside them: the trade-off that a user decides.
#include "report/cost_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/results.h"
#include "base/units.h"
#include "report/csv_fields.h"
#include "report/metric_text.h"
#include "schema/record.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Weighed against the cost.
constexpr std::array<const char*, 7> kBeside{"accuracy", "macro_f1", "word_error_rate", "divergence",
                                             "flops",    "peak_rss", "energy"};

std::string figure_text(const CostFigure& figure) {
  MetricRow row;
  row.value = figure.value;
  row.low = figure.low;
  row.high = figure.high;
  return with_half_width(format_number(figure.value), row);
}

bool is_of_generate(const CaseCost& cost) {
  return is_generate(cost.one->record->requested);
}

std::string currency_of(const CostReport& report) {
  return report.prices.empty() ? "USD" : report.prices.front().currency;
}

std::string price_text(const Price& price) {
  std::string text = fmt::format("{} {} per hour", format_number(price.per_hour), price.currency);
  if (!price.machine.empty()) text = fmt::format("{}: {}", price.machine, text);
  if (!price.date.empty()) text += fmt::format(", {}", price.date);
  if (!price.source.empty()) text += fmt::format(", {}", price.source);
  return text;
}

std::string outdated_text(const std::vector<Price>& prices) {
  std::vector<std::string> machines;
  for (const Price& one : prices) {
    if (one.is_outdated == true) machines.push_back(one.machine);
  }
  return fmt::format("{}", fmt::join(machines, ", "));
}

// "cheapest: b8 bf16: 0.0123 ± 1.2 % USD per million useful tokens; next b8 fp32, 1.31 times as much".
std::string answer_text(const CostReport& report, const CostGroup& group) {
  const CaseCost& first = group.costs.front();
  if (!first.can_be_chosen()) return "no case can be chosen; the table says why";
  std::string text = fmt::format("{}: {} {} per {}", label_in(group, first), figure_text(*first.figure(group.per)),
                                 currency_of(report), unit_text(group.per, is_of_generate(first)));
  if (first.one->is_doubtful()) text += ", doubtful";
  if (first.limit == LimitAnswer::kKeptWithoutInterval)
    text += "; it keeps the limit by its p95, which has no interval";
  if (!group.has_runner_up) return text;
  const CaseCost& next = group.costs[1];
  const double ratio = next.figure(group.per)->value / first.figure(group.per)->value;
  text += fmt::format("; next {}, {:.3g} times as much", label_in(group, next), ratio);
  if (!group.is_decided)
    text += " (not decided: intervals overlap or are of one window or process, or a case is doubtful)";
  if (group.break_even) {
    text += fmt::format("; at {} {} per hour for {} it would cost what the cheapest at another price does",
                        format_number(*group.break_even), currency_of(report),
                        first.price->machine.empty() ? "its machine" : first.price->machine);
  }
  return text;
}

std::string limit_text(const CaseCost& cost) {
  switch (cost.limit) {
    case LimitAnswer::kKept:
      return "kept";
    case LimitAnswer::kKeptWithoutInterval:
      return "kept, no interval";
    case LimitAnswer::kBroken:
      return "broken";
    case LimitAnswer::kUndecided:
      return "undecided";
    case LimitAnswer::kNone:
      break;
  }
  return "-";
}

bool is_work(std::string_view metric) {
  return metric == "flops";
}

std::string beside_text(const AnalyzedCase& one, const char* metric) {
  constexpr double kGiga = 1e9;
  const MetricRow* row = shown_metric(one, metric);
  return is_work(metric) && row != nullptr && row->value ? format_number(*row->value / kGiga) : value_text(row);
}

Table cost_table(const CostReport& report, const CostGroup& group) {
  const std::string currency = currency_of(report);
  const bool is_generated = is_of_generate(group.costs.front());
  Table table;
  table.columns.push_back({"case"});
  for (const CostUnit unit : kCostUnits) {
    table.columns.push_back({.heading = fmt::format("{} / {}", currency, unit_text(unit, is_generated)),
                             .is_number = true,
                             .may_be_left_out = unit != group.per});
  }
  if (report.options.samples) {
    table.columns.push_back({fmt::format("{} / {} samples", currency, format_number(*report.options.samples)), true});
  }
  table.columns.push_back({"time", true});
  if (report.options.latency_p95_s) table.columns.push_back({"p95", true});
  if (report.options.latency_p95_s) table.columns.push_back({"limit"});
  for (const char* metric : kBeside) {
    table.columns.push_back(
        {.heading = is_work(metric) ? "GFLOP / sample" : metric, .is_number = true, .may_be_left_out = true});
  }
  table.columns.push_back({"doubt"});
  table.columns.push_back({"not chosen because"});
  for (const CaseCost& cost : group.costs) {
    std::vector<Cell> cells{label_in(group, cost)};
    for (const CostUnit unit : kCostUnits) {
      const CostFigure* figure = cost.figure(unit);
      cells.emplace_back(figure != nullptr ? figure_text(*figure) : "-");
    }
    if (report.options.samples) cells.emplace_back(cost.total ? figure_text(*cost.total) : "-");
    cells.emplace_back(value_text(headline_time(*cost.one)));
    if (report.options.latency_p95_s)
      cells.emplace_back(value_text(find_metric(cost.one->analysis.metrics, "latency", "p95")));
    if (report.options.latency_p95_s) cells.emplace_back(limit_text(cost));
    for (const char* metric : kBeside) cells.emplace_back(beside_text(*cost.one, metric));
    cells.emplace_back(cost.one->is_doubtful() ? "doubtful" : "-");
    cells.emplace_back(cost.why_not.empty() ? "-" : cost.why_not);
    add_row(table, std::move(cells));
  }
  drop_empty_columns(table);
  return table;
}

Json figure_json(const CostFigure& figure) {
  return {{"value", figure.value},
          {"low", figure.low ? Json(*figure.low) : Json()},
          {"high", figure.high ? Json(*figure.high) : Json()}};
}

Json case_json(const CaseCost& cost) {
  Json figures = Json::object();
  for (const auto& [unit, figure] : cost.figures) figures[std::string(name_of(unit))] = figure_json(figure);
  Json beside = Json::object();
  for (const char* metric : kBeside) {
    const MetricRow* row = shown_metric(*cost.one, metric);
    if (row != nullptr && row->value) beside[metric] = *row->value;
  }
  return {{"case", cost.one->record->id},
          {"label", cost.one->label},
          {"machine", text_or_null(cost.price->machine)},
          {"price_per_hour", cost.price->per_hour},
          {"cost_per", std::move(figures)},
          {"total", cost.total ? figure_json(*cost.total) : Json()},
          {"limit", cost.limit == LimitAnswer::kNone ? Json() : Json(limit_text(cost))},
          {"is_doubtful", cost.one->is_doubtful()},
          {"beside", std::move(beside)},
          {"why_not", text_or_null(cost.why_not)}};
}

}  // namespace

Json price_json(const Price& price) {
  return {{"machine", text_or_null(price.machine)},
          {"price_per_hour", price.per_hour},
          {"currency", price.currency},
          {"source", text_or_null(price.source)},
          {"date", text_or_null(price.date)},
          {"is_outdated", price.is_outdated ? Json(*price.is_outdated) : Json()}};
}

std::vector<CostFact> cost_facts(const CostReport& report) {
  std::vector<std::string> prices;
  for (const Price& price : report.prices) prices.push_back(price_text(price));
  std::vector<CostFact> facts{{"price", fmt::format("{}", fmt::join(prices, "; "))}};
  if (!report.processors.empty()) {
    facts.push_back(
        {"measured on", fmt::format("{}; costs assume the speed measured on {}", fmt::join(report.processors, "; "),
                                    report.processors.size() == 1 ? "this processor" : "these processors")});
  }
  std::string outdated = outdated_text(report.prices);
  if (!outdated.empty()) facts.push_back({"prices older than a year", std::move(outdated), true});
  return facts;
}

Document cost_document(const CostReport& report) {
  Document document;
  document.title = "What it costs";
  for (const CostGroup& group : report.groups) {
    document.lead.emplace_back(Paragraph{
        answer_text(report, group), report.groups.size() == 1 ? "cheapest" : fmt::format("cheapest, {}", group.label)});
  }
  for (CostFact& fact : cost_facts(report)) {
    document.lead.emplace_back(Paragraph{std::move(fact.text), std::move(fact.name), fact.is_warning});
  }
  for (const CostGroup& group : report.groups) {
    Section& section = document.sections.emplace_back(Section{"", group.label, {}});
    section.blocks.emplace_back(cost_table(report, group));
  }
  return document;
}

Json cost_json(const CostReport& report) {
  Json prices = Json::array();
  for (const Price& price : report.prices) prices.push_back(price_json(price));
  Json groups = Json::array();
  for (const CostGroup& group : report.groups) {
    Json cases = Json::array();
    for (const CaseCost& cost : group.costs) cases.push_back(case_json(cost));
    groups.push_back({{"group", group.label},
                      {"ranked_per", name_of(group.per)},
                      {"is_decided", group.has_runner_up ? Json(group.is_decided) : Json()},
                      {"break_even_price_per_hour", group.break_even ? Json(*group.break_even) : Json()},
                      {"cases", std::move(cases)}});
  }
  return {{"schema_version", kResultSchemaVersion},
          {"currency", currency_of(report)},
          {"prices", std::move(prices)},
          {"measured_on", report.processors},
          {"latency_p95_s", report.options.latency_p95_s ? Json(*report.options.latency_p95_s) : Json()},
          {"samples", report.options.samples ? Json(*report.options.samples) : Json()},
          {"groups", std::move(groups)}};
}

std::string cost_csv(const CostReport& report) {
  std::string csv =
      "group,case,label,machine,price_per_hour,currency,unit,cost,cost_low,cost_high,limit,doubtful,why_not\n";
  const auto append = [&](const CostGroup& group, const CaseCost& cost, const std::string& unit,
                          const CostFigure* figure) {
    append_line(
        csv, {group.label, cost.one->record->id, cost.one->label, cost.price->machine},
        {number_text(cost.price->per_hour), cost.price->currency, unit,
         figure != nullptr ? number_text(figure->value) : "", figure != nullptr ? number_text(figure->low) : "",
         figure != nullptr ? number_text(figure->high) : "", cost.limit == LimitAnswer::kNone ? "" : limit_text(cost),
         cost.one->is_doubtful() ? "yes" : "no", cost.why_not});
  };
  for (const CostGroup& group : report.groups) {
    for (const CaseCost& cost : group.costs) {
      for (const auto& [unit, figure] : cost.figures)
        append(group, cost, unit_text(unit, is_of_generate(cost)), &figure);
      if (cost.total)
        append(group, cost, fmt::format("{} samples", format_number(*report.options.samples)), &*cost.total);
      if (cost.figures.empty()) append(group, cost, "", nullptr);
    }
  }
  return csv;
}

}  // namespace transformeter
