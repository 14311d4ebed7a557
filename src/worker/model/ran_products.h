// Products with weights that another library says it ran, summed up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/model_readback.h"

namespace transformeter {

struct RanProduct {
  std::string kernel;         // as the library calls it
  std::string precision;      // in which it computes; empty: tells nothing of that
  std::string input, weight;  // formats, as in LinearType
  std::int64_t inputs = 0, outputs = 0;
  std::int64_t rows = 1;
};

class RanProducts {
 public:
  void add(const RanProduct& product);
  /// Kernel, precision and formats: those of most operations first; kernel "none" and no precision without any.
  void tell(ModelReadback& readback) const;

 private:
  std::map<std::string, double> kernels_, precisions_;                      // operations
  std::map<std::tuple<std::string, std::string, bool>, LinearType> types_;  // of input and weight; whether it is small
};

}  // namespace transformeter
