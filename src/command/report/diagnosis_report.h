// The diagnosis of training for people and for programs.
#pragma once

#include "analysis/training_diagnosis.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// For each series a table (time of a step and its parts, throughput, memory by batch size), then every finding with
/// its advice, then what was left out. The run has training cases. Borrows nothing.
Document diagnosis_document(const TrainingDiagnosis& diagnosis);

/// {schema_version, run, series, devices} as docs/training-diagnosis.md describes them.
Json diagnosis_json(const TrainingDiagnosis& diagnosis);

}  // namespace transformeter
