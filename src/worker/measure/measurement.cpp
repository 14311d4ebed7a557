// One line for each scenario.
#include "measure/measurement.h"

#include <fmt/format.h>

#include "base/error.h"
#include "measure/batch_measurement.h"
#include "measure/generate_measurement.h"
#include "measure/train_measurement.h"

namespace transformeter {

std::unique_ptr<Measurement> prepare_measurement(const Case& the_case, const PrepareRequest& request,
                                                 const Context& context, const WorkerParts& parts) {
  switch (the_case.scenario) {
    case Scenario::kBatch:
      return std::make_unique<BatchMeasurement>(prepare_case(the_case, context, parts), request, context.clock);
    case Scenario::kGenerate:
      return std::make_unique<GenerateMeasurement>(prepare_case(the_case, context, parts), request, context.clock);
    case Scenario::kTrain:
      return std::make_unique<TrainMeasurement>(
          load_training(the_case, context, parts,
                        [&](const Training& training) { return read_rows(training, context); }),
          request, context.clock, parts);
    case Scenario::kFinetune:
      break;
  }
  throw Error(ErrorKind::kProtocol, fmt::format("scenario {} is not measured", name_of(the_case.scenario)));
}

}  // namespace transformeter
