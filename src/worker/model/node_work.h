// Operations and memory traffic of a node that another library runs, from the sizes that it tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformeter {

struct ShapedValue {
  std::string format;  // as a setting names it, "fp32", else as the library does, "i64"
  std::vector<std::int64_t> shape;

  std::int64_t width() const { return shape.empty() ? 0 : shape.back(); }
  /// Of all dimensions but the last.
  std::int64_t rows() const;
  double elements() const;
  /// 0: the size of its format is not known.
  double bytes() const;
};

/// What a node reads and writes. A weight that a kernel keeps in a form of its own may not be among it.
struct NodeValues {
  std::vector<ShapedValue> inputs, outputs;
};

struct NodeWork {
  double flops = 0;  // 2 for a multiplication with its addition; 0: none, or not known
  double bytes = 0;  // 0: not known
};

/// Each input once, and the outputs; 0 where the size of one is not known.
double bytes_moved(const NodeValues& values);

/// Of the first input with a matrix, in `weight_format` where it is not among the inputs. None where the sizes do not
/// tell what is summed over.
NodeWork product_work(const NodeValues& values, const std::string& weight_format);

/// Of rows of a table, the first input, of which the table's other rows are not read.
NodeWork lookup_work(const NodeValues& values);

}  // namespace transformeter
