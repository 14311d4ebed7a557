// Every pattern on every series.
#include "analysis/training_diagnosis.h"

#include <cstddef>
#include <utility>

namespace transformeter {

TrainingDiagnosis diagnose_training(const AnalyzedRun& run) {
  TrainingDiagnosis diagnosis;
  diagnosis.run = &run;
  for (TrainingSeries& series : training_series(run)) {
    SeriesDiagnosis& one = diagnosis.series.emplace_back();
    one.series = std::move(series);
    for (const auto& look : {overhead_finding, saturation_finding, decline_finding, data_finding, optimizer_finding,
                             padding_finding, memory_finding}) {
      one.findings.push_back(look(one.series));
    }
  }
  for (std::size_t i = 0; i < diagnosis.series.size(); ++i) {
    for (std::size_t j = i + 1; j < diagnosis.series.size(); ++j) {
      const TrainingSeries& first = diagnosis.series[i].series;
      const TrainingSeries& second = diagnosis.series[j].series;
      if (first.key_without_device != second.key_without_device) continue;
      diagnosis.devices.push_back({first.device, second.device, first.settings, device_finding(first, second)});
    }
  }
  return diagnosis;
}

}  // namespace transformeter
