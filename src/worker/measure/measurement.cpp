// One line for each scenario.
#include "measure/measurement.h"

#include <utility>

#include "measure/batch_measurement.h"
#include "measure/generate_measurement.h"

namespace transformeter {

std::unique_ptr<Measurement> make_measurement(PreparedCase prepared, const PrepareRequest& request,
                                              const Clock& clock) {
  if (prepared.request.is_generate()) {
    return std::make_unique<GenerateMeasurement>(std::move(prepared), request, clock);
  }
  return std::make_unique<BatchMeasurement>(std::move(prepared), request, clock);
}

}  // namespace transformeter
