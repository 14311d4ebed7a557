// Columns are written as text at once: as JSON values they would take 16 bytes each.
#include "store/export_lines.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

namespace transformeter {
namespace {

constexpr std::uint64_t kQuietNan = 0x7FF8000000000000;

void append_element(std::string& text, double value) {
  append_sample(text, value);
}

template <typename T>
void append_element(std::string& text, T value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

template <typename T>
void append_column(std::string& text, const char* name, const std::vector<T>& column) {
  if (column.empty()) return;
  fmt::format_to(std::back_inserter(text), "\"{}\":[", name);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i > 0) text.push_back(',');
    append_element(text, column[i]);
  }
  text.append("],");
}

// Keys sorted, as everywhere; `value` last, and always there.
void append_series(std::string& text, const Series& series) {
  text.push_back('{');
  append_column(text, "examples", series.examples);
  append_column(text, "flags", series.flags);
  append_column(text, "index", series.index);
  fmt::format_to(std::back_inserter(text), "\"name\":{},", canonical_json(series.name));
  append_column(text, "processed_tokens", series.processed_tokens);
  fmt::format_to(std::back_inserter(text), "\"rank\":{},", series.rank);
  append_column(text, "start_s", series.start_s);
  fmt::format_to(std::back_inserter(text), "\"unit\":{},", canonical_json(series.unit));
  append_column(text, "useful_tokens", series.useful_tokens);
  text.append("\"value\":[");
  for (std::size_t i = 0; i < series.value.size(); ++i) {
    if (i > 0) text.push_back(',');
    append_sample(text, series.value[i]);
  }
  text.append("]}");
}

std::string line_of(const Json& json) {
  return canonical_json(json) + "\n";
}

}  // namespace

void append_sample(std::string& text, double value) {
  if (std::isnan(value)) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    text.append(bits == kQuietNan ? "\"NaN\"" : fmt::format("\"NaN:{:016x}\"", bits));
  } else if (std::isinf(value)) {
    text.append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else if (value == 0 && std::signbit(value)) {
    text.append("-0.0");
  } else {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
}

std::string header_line() {
  return line_of({{"format", kExportFormat}, {"schema_version", kExportSchemaVersion}});
}

// Programs before trials read results as they were.
std::string run_line(const RunRecord& run) {
  Json fields = {{"id", run.id},
                 {"name", run.name},
                 {"started_at", run.started_at},
                 {"replicates_planned", run.replicates_planned},
                 {"host", run.host},
                 {"settings", run.settings}};
  if (run.role != RunRole::kResult) fields["role"] = name_of(run.role);
  return line_of({{"run", std::move(fields)}});
}

std::string case_line(std::string_view run_id, const CaseRecord& one) {
  return line_of({{"case",
                   {{"run", run_id},
                    {"id", one.id},
                    {"position", one.position},
                    {"plan_key", one.plan_key},
                    {"key", one.key},
                    {"workload_key", one.workload_key},
                    {"requested", one.requested},
                    {"effective", one.effective},
                    {"launch", one.launch},
                    {"status", one.status ? Json(name_of(*one.status)) : Json(nullptr)},
                    {"status_reason", one.status_reason}}}});
}

std::string replicate_line(std::string_view run_id, std::string_view case_id, const ReplicateRecord& replicate) {
  std::string text = fmt::format(R"({{"replicate":{{"case":{},"index":{},"ranks":{},"run":{},"series":[)",
                                 canonical_json(case_id), replicate.index, replicate.ranks, canonical_json(run_id));
  for (std::size_t i = 0; i < replicate.series.size(); ++i) {
    if (i > 0) text.push_back(',');
    append_series(text, replicate.series[i]);
  }
  fmt::format_to(std::back_inserter(text), "],\"started_at\":{},\"status\":{},\"status_reason\":{}}}}}\n",
                 canonical_json(replicate.started_at), canonical_json(name_of(replicate.status)),
                 canonical_json(replicate.status_reason));
  return text;
}

std::string end_line(const ExportCount& count) {
  return line_of({{"end", {{"runs", count.runs}, {"cases", count.cases}, {"replicates", count.replicates}}}});
}

}  // namespace transformeter
