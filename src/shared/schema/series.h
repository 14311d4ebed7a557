// A raw series: what a worker measured, sample by sample, kept whole so that every statistic can be recomputed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// Flags of one sample.
enum SampleFlag : std::uint32_t {
  kSampleWarmup = 1,  // taken before measuring began
  kSampleFirst = 2,   // the first forward pass of the process
  // Got less CPU time than others of its kind; set by the command, see metrics/disturbed_samples.h.
  kSampleDisturbed = 4,
};

/// Columns are empty or as long as `value`; a scalar (load_time) is a series of one value without other columns.
struct Series {
  std::string name;  // declared in schema/metric_names.h
  std::string unit;
  int rank = 0;
  std::vector<double> value;
  std::vector<double> start_s;         // since the worker's measuring began; warm-up samples lie before 0
  std::vector<std::int64_t> index;     // of the batch in its cycle
  std::vector<std::int64_t> examples;  // true size of the batch
  std::vector<std::int64_t> useful_tokens;
  std::vector<std::int64_t> processed_tokens;
  std::vector<std::uint32_t> flags;

  /// Appends the rows of a later block of the same series.
  void append(const Series& block);
};

/// A series of values alone, with its declared unit.
Series value_series(std::string_view name, std::vector<double> values);
/// The same of one value.
Series scalar_series(std::string_view name, double value);

/// Little-endian columns one after another, with their directory in the JSON: {name, unit, rank, count, columns}.
Json encode_series(const std::vector<Series>& series, std::string& blob);
/// Throws Error(kProtocol) when directory and bytes do not fit.
std::vector<Series> decode_series(const Json& directory, std::string_view blob);

/// One column as little-endian bytes and back; throws Error(kProtocol) when the size is no multiple of the element.
template <typename T>
std::string column_bytes(const std::vector<T>& column);
template <typename T>
std::vector<T> column_values(std::string_view bytes);

/// The first series of that name, or null.
const Series* find_series(const std::vector<Series>& series, std::string_view name);

}  // namespace transformeter
