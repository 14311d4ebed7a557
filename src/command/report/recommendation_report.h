// Recommended training settings as a document and as JSON.
#pragma once

#include <vector>

#include "analysis/training_recommendation.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// For each workload the answers, the figures behind each, what they say nothing of, and the cases left out. Borrows
/// nothing.
Document recommendation_document(const std::vector<WorkloadRecommendation>& workloads);

/// {schema_version, purpose, workloads} as docs/training-diagnosis.md describes them.
Json recommendation_json(const std::vector<WorkloadRecommendation>& workloads);

}  // namespace transformeter
