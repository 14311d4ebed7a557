// Parts of a pipeline file, and what is said of faulty ones.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "run/plan_document.h"

namespace transformeter {

/// Of the user's fault.
Error pipeline_fault(const std::string& message);

/// Calls `read`; an error gets the file and the line before it, unless it has them.
void read_at(const std::filesystem::path& file, int line, const std::function<void()>& read);

/// The word that leaves a step out.
bool is_none(const PlanNode& node);

/// Of a single value. Throws Error(kBadInput) naming `what` for another node.
const std::string& text_of(const PlanNode& node, std::string_view what);
/// Of a list, or of one value in place of a list; one at least. Throws likewise.
std::vector<PlanNode> elements_of(const PlanNode& node, std::string_view what);

}  // namespace transformeter
