// Three columns, and the sum that must come out.
#include "schema/outputs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "schema/series.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

template <typename T>
std::vector<T> take_column(std::string_view& blob, std::size_t count) {
  if (count > blob.size() / sizeof(T)) {
    throw Error(ErrorKind::kProtocol, fmt::format("outputs declare {} elements but end early", count));
  }
  std::vector<T> column = column_values<T>(blob.substr(0, count * sizeof(T)));
  blob.remove_prefix(count * sizeof(T));
  return column;
}

// Without products or sums that overflow: no input may claim more rows than there are left.
void check_shape(const Outputs& outputs) {
  const auto count = static_cast<std::int64_t>(outputs.values.size());
  const auto wrong = [&] {
    return Error(ErrorKind::kProtocol, fmt::format("outputs of {} inputs in rows of {} do not add up to {} values",
                                                   outputs.inputs.size(), outputs.width, count));
  };
  if (outputs.width < 0 || (outputs.width == 0 && count > 0)) throw wrong();
  std::int64_t left = outputs.width == 0 ? 0 : count / outputs.width;
  if (left * outputs.width != count) throw wrong();
  for (const std::int64_t rows : outputs.rows) {
    if (rows < 0 || rows > left) throw wrong();
    left -= rows;
  }
  if (left != 0) throw wrong();
}

}  // namespace

Json encode_outputs(const Outputs& outputs, std::string& blob) {
  blob += column_bytes(outputs.inputs);
  blob += column_bytes(outputs.rows);
  blob += column_bytes(outputs.values);
  return {{"width", outputs.width}, {"inputs", outputs.inputs.size()}, {"values", outputs.values.size()}};
}

Outputs decode_outputs(const Json& directory, std::string_view& blob) {
  Outputs outputs;
  outputs.width = whole_field<std::int64_t>(directory.at("width"), "width");
  const auto inputs = whole_field<std::size_t>(directory.at("inputs"), "inputs");
  const auto values = whole_field<std::size_t>(directory.at("values"), "values");
  outputs.inputs = take_column<std::int64_t>(blob, inputs);
  outputs.rows = take_column<std::int64_t>(blob, inputs);
  outputs.values = take_column<float>(blob, values);
  check_shape(outputs);
  return outputs;
}

}  // namespace transformeter
