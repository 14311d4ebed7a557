// Every metric and every stored series: name, unit and one-line meaning, declared once. docs/metrics.md holds the
// full definitions, and a test fails when a name is missing there.
#pragma once

#include <span>
#include <string_view>

namespace transformeter {

/// What a series has its values for.
enum class SeriesScope {
  kProcess,  // the worker's process, or its whole cycle: taken once
  kSlice,    // each slice, one value
  kUnit,     // each batch, request or step, or each of its parts
};

struct MetricTerm {
  std::string_view name;
  std::string_view unit;  // "s", "bytes", "sample/s", "token/s", "batch/s", "ratio", "J/sample", "W", "Hz", "count"
  std::string_view meaning;
  SeriesScope scope = SeriesScope::kProcess;  // of series alone
};

std::span<const MetricTerm> metric_terms();
/// Raw series as a worker sends them and the store keeps them.
std::span<const MetricTerm> series_terms();

/// Computed from a baseline and a candidate; their "ratio" is not a share of one case.
std::span<const MetricTerm> comparison_terms();

/// The declared term. Throws Error(kInternal) for an undeclared name.
const MetricTerm& metric_term(std::string_view name);
const MetricTerm& series_term(std::string_view name);
const MetricTerm& comparison_term(std::string_view name);

/// Of a series by that name; that of the process where none is declared, as of a newer worker.
SeriesScope scope_of(std::string_view series);

}  // namespace transformeter
