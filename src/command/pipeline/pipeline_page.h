// The page that a pipeline leaves in its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "pipeline/run_pipeline.h"

namespace transformeter {

/// Markdown: links to the reports, the pictures, and every step with its command and what became of it.
std::string pipeline_page(const Pipeline& pipeline, const std::vector<PipelineStep>& steps,
                          const PipelineOutcome& outcome, const std::filesystem::path& folder);

}  // namespace transformeter
