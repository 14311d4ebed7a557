// The answer in a sentence, then the trials.
#include "report/largest_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/results.h"
#include "base/units.h"
#include "report/metric_text.h"
#include "schema/record.h"

namespace transformeter {
namespace {

// Why the next larger value does not run, or the last trial was unclear; empty: nothing stopped the search.
std::string why_no_more(const LargestCase& answer) {
  const LargestFit& found = answer.found;
  if (found.changed) return fmt::format("{} ran once and did not once", *found.changed);
  for (auto trial = answer.trials.rbegin(); trial != answer.trials.rend(); ++trial) {
    const bool is_next = found.too_large == trial->value && !trial->reason.empty();
    if (trial->fit == Fit::kUnclear || is_next) return trial->reason;
  }
  return "";
}

std::string_view bound_text(LargestAllowed bound) {
  switch (bound) {
    case LargestAllowed::kPositions:
      return "the most that the model's positions hold; memory is not the limit";
    case LargestAllowed::kInputs:
      return "the most inputs that a cycle may hold (1 GiB of pixels or samples); memory is not the limit";
    case LargestAllowed::kBound:
      break;
  }
  return "the largest value allowed";
}

std::string answer_text(const LargestCase& answer) {
  const auto& [fits, too_large, changed, is_resolved] = answer.found;
  if (!is_resolved) {
    const std::string range = too_large ? fmt::format(" and below {}", *too_large) : std::string();
    return fmt::format("indeterminate: {}{}", fits ? fmt::format("at least {}", *fits) : "unknown", range);
  }
  if (!fits) return fmt::format("none: {} is too large already", too_large.value_or(1));
  if (too_large) return fmt::format("{}", *fits);
  return fmt::format("{}, {}", *fits, bound_text(answer.bound));
}

Json count_or_null(const std::optional<std::int64_t>& count) {
  return count ? Json(*count) : Json();
}

}  // namespace

Document largest_document(const LargestReport& report) {
  const LargestCase& answer = report.answer;
  Document document;
  document.title = fmt::format("Largest {}", answer.axis);
  document.lead.emplace_back(
      Paragraph{fmt::format("{} ({})", answer_text(answer), report.label), fmt::format("largest {}", answer.axis)});
  if (const std::string why = why_no_more(answer); !why.empty()) {
    document.lead.emplace_back(Paragraph{why, answer.found.is_resolved ? "beyond it" : "unclear"});
  }
  if (answer.limit) {
    document.lead.emplace_back(Paragraph{fmt::format("{}, {}", format_bytes(static_cast<double>(*answer.limit)),
                                                     answer.is_limit_asked ? "as asked" : "what was available"),
                                         "memory limit"});
  }
  if (answer.found.fits) document.lead.emplace_back(Paragraph{report.command, "measure it"});
  Table table;
  table.columns = {{answer.axis, true},       {"answer"}, {"forecast", true}, {"tensors", true},
                   {"resident memory", true}, {"status"}};
  for (const TriedValue& trial : answer.trials) {
    add_row(table, {fmt::format("{}", trial.value), std::string(name_of(trial.fit)), peak_text(trial.forecast),
                    bytes_text(trial.peak_allocated), bytes_text(trial.peak_rss), std::string(name_of(trial.status))});
  }
  drop_empty_columns(table);
  table.notes.emplace_back("forecast and tensors: most that is alive at once");
  if (answer.limit) {
    table.notes.emplace_back(
        "the memory limit counts private data: resident memory, which has the pages of program files too, may be above "
        "it");
  }
  const bool has_bound = std::any_of(answer.trials.begin(), answer.trials.end(),
                                     [](const TriedValue& trial) { return trial.forecast.is_upper_bound; });
  if (has_bound) table.notes.emplace_back(kUpperBoundNote);
  document.sections.emplace_back(Section{"trials", "Trials", {}}).blocks.emplace_back(std::move(table));
  return document;
}

Json largest_json(const LargestReport& report) {
  const LargestCase& answer = report.answer;
  Json trials = Json::array();
  for (const TriedValue& trial : answer.trials) {
    trials.push_back({{"value", trial.value},
                      {"answer", name_of(trial.fit)},
                      {"status", name_of(trial.status)},
                      {"reason", text_or_null(trial.reason)},
                      {"forecast_bytes", finite_or_null(trial.forecast.peak)},
                      {"is_upper_bound", trial.forecast.peak ? Json(trial.forecast.is_upper_bound) : Json()},
                      {"peak_allocated_bytes", finite_or_null(trial.peak_allocated)},
                      {"peak_rss_bytes", finite_or_null(trial.peak_rss)}});
  }
  return {{"schema_version", kResultSchemaVersion},
          {"axis", answer.axis},
          {"case", report.label},
          {"resolved", answer.found.is_resolved},
          {"fits", count_or_null(answer.found.fits)},
          {"changed", count_or_null(answer.found.changed)},
          {"too_large", count_or_null(answer.found.too_large)},
          {"largest", answer.largest},
          {"memory_limit_bytes", count_or_null(answer.limit)},
          {"memory_limit_source", answer.limit ? Json(answer.is_limit_asked ? "asked" : "available") : Json()},
          {"requested", answer.requested},
          {"command", answer.found.fits ? Json(report.command) : Json()},
          {"host", report.host},
          {"why", text_or_null(why_no_more(answer))},
          {"trials", std::move(trials)}};
}

}  // namespace transformeter
