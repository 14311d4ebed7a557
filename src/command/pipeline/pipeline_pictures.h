// The pictures of a pipeline file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "run/plan_document.h"

namespace transformeter {

/// `node`: the value of the key `pictures` of `file`; null: there is none, and every ready picture of each run is drawn
/// that it has the data for. Throws Error(kBadInput) for what `plot` would refuse without looking at a run.
std::vector<PipelinePicture> read_pipeline_pictures(const std::filesystem::path& file, const PlanNode* node,
                                                    const std::vector<std::string>& runs);

}  // namespace transformeter
