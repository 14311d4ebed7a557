// Appending, finding and packing of series.
#include "schema/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "schema/metric_names.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are stored little-endian");

template <typename T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Calls `visit(name, column)` for every column, in the order they are packed.
template <typename SeriesType, typename Visitor>
void for_each_column(SeriesType& series, Visitor&& visit) {
  visit("value", series.value);
  visit("start_s", series.start_s);
  visit("index", series.index);
  visit("examples", series.examples);
  visit("useful_tokens", series.useful_tokens);
  visit("processed_tokens", series.processed_tokens);
  visit("flags", series.flags);
}

}  // namespace

void Series::append(const Series& block) {
  extend(value, block.value);
  extend(start_s, block.start_s);
  extend(index, block.index);
  extend(examples, block.examples);
  extend(useful_tokens, block.useful_tokens);
  extend(processed_tokens, block.processed_tokens);
  extend(flags, block.flags);
}

Series value_series(std::string_view name, std::vector<double> values) {
  const MetricTerm& term = series_term(name);
  Series series;
  series.name = term.name;
  series.unit = term.unit;
  series.value = std::move(values);
  return series;
}

Series scalar_series(std::string_view name, double value) {
  return value_series(name, {value});
}

template <typename T>
std::string column_bytes(const std::vector<T>& column) {
  if (column.empty()) return {};
  return std::string(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T));
}

template <typename T>
std::vector<T> column_values(std::string_view bytes) {
  if (bytes.size() % sizeof(T) != 0) {
    throw Error(ErrorKind::kProtocol, fmt::format("a column of {} bytes does not hold whole elements", bytes.size()));
  }
  std::vector<T> column(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(column.data(), bytes.data(), bytes.size());
  return column;
}

template std::string column_bytes(const std::vector<double>&);
template std::string column_bytes(const std::vector<float>&);
template std::string column_bytes(const std::vector<std::int64_t>&);
template std::string column_bytes(const std::vector<std::uint32_t>&);
template std::vector<double> column_values(std::string_view);
template std::vector<float> column_values(std::string_view);
template std::vector<std::int64_t> column_values(std::string_view);
template std::vector<std::uint32_t> column_values(std::string_view);

Json encode_series(const std::vector<Series>& series, std::string& blob) {
  Json directory = Json::array();
  for (const Series& one : series) {
    Json columns = Json::array();
    for_each_column(one, [&](const char* name, const auto& column) {
      if (column.empty()) return;
      columns.push_back(name);
      blob += column_bytes(column);
    });
    directory.push_back({{"name", one.name},
                         {"unit", one.unit},
                         {"rank", one.rank},
                         {"count", one.value.size()},
                         {"columns", columns}});
  }
  return directory;
}

namespace {

// A column that we would pass over is one that the other side meant to be kept.
void check_columns(const std::string& series, const std::vector<std::string>& present, std::size_t count) {
  Series known;
  std::vector<std::string> names;
  for_each_column(known, [&](const char* name, const auto&) { names.emplace_back(name); });
  for (const std::string& name : present) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(ErrorKind::kProtocol, fmt::format("series '{}' has an unknown column '{}'; known: {}", series, name,
                                                    fmt::join(names, ", ")));
    }
  }
  const bool has_values = std::find(present.begin(), present.end(), "value") != present.end();
  if (!has_values && (count > 0 || !present.empty())) {
    throw Error(ErrorKind::kProtocol, fmt::format("series '{}' has no column 'value'", series));
  }
}

}  // namespace

std::vector<Series> decode_series(const Json& directory, std::string_view blob) {
  std::vector<Series> result;
  for (const Json& entry : directory) {
    Series series;
    entry.at("name").get_to(series.name);
    entry.at("unit").get_to(series.unit);
    series.rank = whole_field<int>(entry.at("rank"), "rank");
    const auto count = whole_field<std::size_t>(entry.at("count"), "count");
    const auto present = entry.at("columns").get<std::vector<std::string>>();
    check_columns(series.name, present, count);
    for_each_column(series, [&]<typename T>(const char* name, std::vector<T>& column) {
      if (std::find(present.begin(), present.end(), name) == present.end()) return;
      if (count > blob.size() / sizeof(T)) {
        throw Error(ErrorKind::kProtocol,
                    fmt::format("series '{}' declares {} values of '{}' but ends early", series.name, count, name));
      }
      column = column_values<T>(blob.substr(0, count * sizeof(T)));
      blob.remove_prefix(count * sizeof(T));
    });
    result.push_back(std::move(series));
  }
  if (!blob.empty()) {
    throw Error(ErrorKind::kProtocol, fmt::format("{} bytes do not belong to any series", blob.size()));
  }
  return result;
}

const Series* find_series(const std::vector<Series>& series, std::string_view name) {
  const auto found = std::find_if(series.begin(), series.end(), [&](const Series& s) { return s.name == name; });
  return found == series.end() ? nullptr : &*found;
}

}  // namespace transformeter
