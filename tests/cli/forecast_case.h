// A forecast of memory against what LibTorch allocates: which settings, and what was measured.
#pragma once

#include <ostream>
#include <string>

#include "schema/record.h"

namespace transformeter {

struct ForecastCase {
  const char* name;
  const char* options;
};

inline void PrintTo(const ForecastCase& one, std::ostream* out) {
  *out << one.name;
}

/// The first value of a series of the first replicate, which has it.
inline double first_value(const CaseRecord& one, const std::string& series) {
  return find_series(one.replicates.at(0).series, series)->value.front();
}

}  // namespace transformeter
