// Recommended training settings as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/training_recommendation.h"
#include "base/json.h"

namespace transformeter {

/// For each workload the answers, the figures behind each, what they say nothing of, and the cases left out. Lines end
/// with '\n'; user text is neutralised.
std::string recommendation_text(const std::vector<WorkloadRecommendation>& workloads);

/// {schema_version, purpose, workloads} as docs/training-diagnosis.md describes them.
Json recommendation_json(const std::vector<WorkloadRecommendation>& workloads);

}  // namespace transformeter
