// The diagnosis of training for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/training_diagnosis.h"
#include "base/json.h"

namespace transformeter {

/// For each series a table (time of a step and its parts, throughput, memory by batch size), then every finding with
/// its advice, then what was left out. Lines end with '\n'; user text is neutralised. The run has training cases.
std::string diagnosis_text(const TrainingDiagnosis& diagnosis, std::optional<std::size_t> width);

/// The same as Markdown.
std::string diagnosis_markdown(const TrainingDiagnosis& diagnosis);

/// {schema_version, run, series, devices} as docs/training-diagnosis.md describes them.
Json diagnosis_json(const TrainingDiagnosis& diagnosis);

}  // namespace transformeter
