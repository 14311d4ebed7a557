// What is steady of the whole is taken for steady of its parts.
#include "metrics/part_windows.h"

#include <utility>

#include "metrics/metric_rows.h"
#include "stats/dependence.h"
#include "stats/summary.h"

namespace transformeter {

SampleWindow part_window(const SampleWindow& units, std::vector<double> values) {
  SampleWindow window;
  window.problem = units.problem;
  window.process = units.process;
  window.start_s = units.start_s;
  if (values.empty() || !all_finite(values)) {
    if (window.problem.empty()) window.problem = kNotAvailable;
    return window;
  }
  window.places = units.places;
  window.from = units.from;
  window.drift = units.drift;
  window.autocorrelation_untested = units.autocorrelation_untested;
  window.effective_n = effective_n_of_mean(values);
  window.seconds = values;
  window.samples = std::move(values);
  return window;
}

}  // namespace transformeter
