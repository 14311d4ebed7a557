// Plans in YAML. yaml-cpp bounds its own nesting and keeps aliases shared; they are resolved here, up to a limit.
#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <vector>

#include "run/plan_document.h"

namespace transformeter {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : mark.line + 1;
}

// Where each document of a stream begins; looks at nothing else.
class DocumentMarks final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  std::vector<YAML::Mark> marks;
};

// LoadAll would not end, and fill the memory, where a document takes nothing off the stream: yaml-cpp 0.7 makes endless
// empty documents of a lone comma. So at most one document more is asked for than there may be.
void check_one_document(const std::filesystem::path& file, const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentMarks handler;
  while (handler.marks.size() < 2 && parser.HandleNextDocument(handler)) {
  }
  if (handler.marks.size() < 2) return;
  const YAML::Mark& second = handler.marks[1];
  const bool went_on = second.pos > handler.marks[0].pos;
  throw plan_error(file, line_of(second),
                   went_on ? "a plan must be a single YAML document" : "not valid YAML: unexpected character");
}

// From yaml-cpp's nodes to ours.
class YamlPlanReader {
 public:
  explicit YamlPlanReader(const std::filesystem::path& file) : file_(file) {}

  PlanNode node(const YAML::Node& yaml, int depth) {
    count(yaml);
    PlanNode result;
    if (yaml.IsScalar()) {
      result.kind = PlanNode::Kind::kScalar;
      result.text = yaml.Scalar();
    } else if ((yaml.IsSequence() || yaml.IsMap()) && depth >= kMaxPlanDepth) {
      result.kind = PlanNode::Kind::kDropped;
    } else if (yaml.IsSequence()) {
      result.kind = PlanNode::Kind::kList;
      for (const YAML::Node& element : yaml) result.elements.push_back(node(element, depth + 1));
    } else if (yaml.IsMap()) {
      result.kind = PlanNode::Kind::kMap;
      for (const auto& pair : yaml) result.members.push_back(member(pair.first, pair.second, depth));
    }
    return result;
  }

 private:
  PlanMember member(const YAML::Node& key, const YAML::Node& value, int depth) {
    const int line = line_of(key.Mark());
    if (!key.IsScalar()) throw plan_error(file_, line, "a setting's name must be a text");
    return {key.Scalar(), line, node(value, depth + 1)};
  }

  // Aliases of aliases would grow without end.
  void count(const YAML::Node& yaml) {
    if (++count_ <= kMaxPlanValues) return;
    throw plan_error(file_, line_of(yaml.Mark()),
                     fmt::format("the plan has more than {} values once its aliases are resolved", kMaxPlanValues));
  }

  const std::filesystem::path& file_;
  std::size_t count_ = 0;
};

}  // namespace

PlanNode parse_yaml_plan(const std::filesystem::path& file, const std::string& text) {
  try {
    check_one_document(file, text);
    return YamlPlanReader(file).node(YAML::Load(text), 0);
  } catch (const YAML::DeepRecursion& error) {
    throw plan_error(file, line_of(error.mark), "nested too deeply; a plan is a map of settings and sections");
  } catch (const YAML::Exception& error) {
    throw plan_error(file, line_of(error.mark), fmt::format("not valid YAML: {}", error.msg));
  }
}

}  // namespace transformeter
