// Looks the scenario up.
#include "measure/measurement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {

std::unique_ptr<Measurement> prepare_measurement(const Case& the_case, const PrepareRequest& request,
                                                 const Context& context, const WorkerParts& parts) {
  const auto found =
      std::find_if(kMeasuredScenarios.begin(), kMeasuredScenarios.end(),
                   [&](const MeasuredScenario& measured) { return measured.scenario == the_case.scenario; });
  if (found != kMeasuredScenarios.end()) return found->prepare(the_case, request, context, parts);
  throw Error(ErrorKind::kProtocol, fmt::format("scenario {} is not measured", name_of(the_case.scenario)));
}

Profiled Measurement::profile(const ProfileRequest&, const std::function<void(const Profiling&)>&) {
  throw Error(ErrorKind::kUnsupported,
              "scenario offline cannot be profiled: its batches are those of scenario batch, which can");
}

}  // namespace transformeter
