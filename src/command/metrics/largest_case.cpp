// Names of what came of a trial.
#include "metrics/largest_case.h"

namespace transformeter {

std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::kFits:
      return "fits";
    case Fit::kTooLarge:
      return "too large";
    case Fit::kUnclear:
      break;
  }
  return "unclear";
}

}  // namespace transformeter
