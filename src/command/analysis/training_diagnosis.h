// Breaks down the training time of a stored run and names its bottlenecks (docs/training-diagnosis.md).
#pragma once

#include <string>
#include <vector>

#include "analysis/training_findings.h"
#include "analysis/training_series.h"

namespace transformeter {

struct SeriesDiagnosis {
  TrainingSeries series;
  std::vector<TrainingFinding> findings;  // one of each pattern, whether present, absent or not determined
};

struct DeviceDiagnosis {
  std::string first;  // device
  std::string second;
  std::string settings;  // what both have in common
  TrainingFinding finding;
};

struct TrainingDiagnosis {
  const AnalyzedRun* run = nullptr;
  std::vector<SeriesDiagnosis> series;
  std::vector<DeviceDiagnosis> devices;  // each pair of series that differ in the device alone
};

/// Borrows `run`. No series when the run has no cases of scenario train.
TrainingDiagnosis diagnose_training(const AnalyzedRun& run);

}  // namespace transformeter
