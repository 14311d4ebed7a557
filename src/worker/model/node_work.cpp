// A product's output has |out| sums of as many products as the first input is wide.
#include "model/node_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace transformeter {
namespace {

// What stands before the bits in a format's name. Of "f8e4m3" the digits at the end are not its bits.
constexpr std::array<std::string_view, 10> kBeforeBits{"fp",  "f",    "bf",     "i",     "u",
                                                       "int", "uint", "bfloat", "float", "nf"};

// By the bits that end a format's name: "fp32", "i64", "bfloat16", "u8"; 0: not known.
double bytes_of_element(const std::string& format) {
  if (format == "bool" || format == "boolean") return 1;
  const std::size_t begin = format.find_last_not_of("0123456789") + 1;
  if (begin >= format.size() || format.size() - begin > 2) return 0;
  const std::string_view before = std::string_view(format).substr(0, begin);
  if (std::find(kBeforeBits.begin(), kBeforeBits.end(), before) == kBeforeBits.end()) return 0;
  return std::stod(format.substr(begin)) / 8;
}

// How many products a sum of the output has; 0: the shapes do not tell.
double summed_over(const ShapedValue& left, const ShapedValue& output) {
  if (left.shape.size() < 2 || left.shape.size() != output.shape.size()) return 0;
  if (!std::equal(left.shape.begin(), left.shape.end() - 2, output.shape.begin())) return 0;
  if (output.elements() <= 0) return 0;
  const double inner = left.elements() * static_cast<double>(output.width()) / output.elements();
  return inner == std::floor(inner) ? inner : 0;
}

bool is_matrix(const ShapedValue& value, double inner, double outputs) {
  return value.shape.size() >= 2 && value.elements() >= inner * outputs;
}

}  // namespace

std::int64_t ShapedValue::rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

double ShapedValue::elements() const {
  double elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

double ShapedValue::bytes() const {
  return elements() * bytes_of_element(format);
}

double bytes_moved(const NodeValues& values) {
  double bytes = 0;
  for (const std::vector<ShapedValue>* side : {&values.inputs, &values.outputs}) {
    for (const ShapedValue& value : *side) {
      if (bytes_of_element(value.format) == 0) return 0;
      bytes += value.bytes();
    }
  }
  return bytes;
}

NodeWork product_work(const NodeValues& values, const std::string& weight_format) {
  if (values.inputs.empty() || values.outputs.empty()) return {};
  const ShapedValue& output = values.outputs.front();
  const double inner = summed_over(values.inputs.front(), output);
  if (inner == 0) return {};
  const auto outputs = static_cast<double>(output.width());
  NodeWork work{2 * output.elements() * inner, bytes_moved(values)};
  const bool has_matrix = std::any_of(values.inputs.begin() + 1, values.inputs.end(),
                                      [&](const ShapedValue& value) { return is_matrix(value, inner, outputs); });
  if (has_matrix || work.bytes == 0) return work;
  const double weight_bytes = inner * outputs * bytes_of_element(weight_format);
  work.bytes = weight_bytes > 0 ? work.bytes + weight_bytes : 0;
  return work;
}

NodeWork lookup_work(const NodeValues& values) {
  if (values.inputs.size() < 2 || values.outputs.empty()) return {};
  const NodeValues read{{values.inputs.begin() + 1, values.inputs.end()}, values.outputs};
  const double bytes = bytes_moved(read);
  return {0, bytes > 0 ? bytes + values.outputs.front().bytes() : 0};
}

}  // namespace transformeter
