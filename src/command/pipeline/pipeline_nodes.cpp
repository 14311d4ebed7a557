// Lists and single values are read alike.
#include "pipeline/pipeline_nodes.h"

#include <fmt/format.h>

namespace transformeter {

Error pipeline_fault(const std::string& message) {
  return Error(ErrorKind::kBadInput, message);
}

void read_at(const std::filesystem::path& file, int line, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(file.string() + ":")) throw;
    throw plan_error(file, line, error.what());
  }
}

bool is_none(const PlanNode& node) {
  return node.kind == PlanNode::Kind::kScalar && node.text == "none";
}

const std::string& text_of(const PlanNode& node, std::string_view what) {
  if (node.kind != PlanNode::Kind::kScalar || node.text.empty()) {
    throw pipeline_fault(fmt::format("{} takes a single value", what));
  }
  return node.text;
}

std::vector<PlanNode> elements_of(const PlanNode& node, std::string_view what) {
  if (node.kind == PlanNode::Kind::kNull || (node.kind == PlanNode::Kind::kList && node.elements.empty())) {
    throw pipeline_fault(fmt::format("{} has no value", what));
  }
  return node.kind == PlanNode::Kind::kList ? node.elements : std::vector<PlanNode>{node};
}

}  // namespace transformeter
