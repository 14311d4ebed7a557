// Plan files: YAML of one level, but for the baseline's map. yaml-cpp bounds its own nesting and keeps aliases shared,
// and nothing here follows a nested node, so hostile files end in an error of one line.
#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "run/plan.h"
#include "run/plan_values.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

constexpr std::uintmax_t kLargestPlanBytes = 1 << 20;

Error at_line(const std::filesystem::path& file, const YAML::Mark& mark, std::string_view message) {
  const std::string place =
      mark.is_null() ? file.string() : fmt::format("{}:{}", file.string(), static_cast<long>(mark.line) + 1);
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", place, message));
}

std::string checked_text(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) {
    throw Error(ErrorKind::kBadInput, fmt::format("plan '{}' is a folder, not a YAML file", file.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (!code && size > kLargestPlanBytes) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("plan '{}' has {} bytes; at most {} are allowed", file.string(), size, kLargestPlanBytes));
  }
  std::string text = read_file(file);
  if (const auto offset = first_invalid_utf8(text)) {
    throw Error(ErrorKind::kBadInput, fmt::format("plan '{}' is not valid UTF-8 at byte {}", file.string(), *offset));
  }
  return text;
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
  throw at_line(file, second,
                went_on ? "a plan must be a single YAML document" : "not valid YAML: unexpected character");
}

YAML::Node parse(const std::filesystem::path& file) {
  const std::string text = checked_text(file);
  try {
    check_one_document(file, text);
    YAML::Node document = YAML::Load(text);
    if (document.IsNull()) {
      throw Error(
          ErrorKind::kBadInput,
          fmt::format("plan '{}' is empty; it needs at least one setting, e.g. 'batch_size: [1, 8]'", file.string()));
    }
    if (!document.IsMap()) {
      throw at_line(file, document.Mark(), "a plan must be a map of settings, e.g. 'batch_size: [1, 8]'");
    }
    return document;
  } catch (const YAML::DeepRecursion& error) {
    throw at_line(file, error.mark, "nested too deeply; a plan must be a flat map of settings");
  } catch (const YAML::Exception& error) {
    throw at_line(file, error.mark, fmt::format("not valid YAML: {}", error.msg));
  }
}

std::string scalar_text(const std::filesystem::path& file, const YAML::Node& node, std::string_view what) {
  if (node.IsNull()) throw at_line(file, node.Mark(), fmt::format("{} has no value", what));
  if (!node.IsScalar()) {
    throw at_line(file, node.Mark(), fmt::format("{} takes a value or a flat list of values", what));
  }
  return node.Scalar();
}

std::vector<std::string> value_texts(const std::filesystem::path& file, const SettingTerm& term,
                                     const YAML::Node& node) {
  if (!node.IsSequence()) return split_plan_text(term, scalar_text(file, node, term.name));
  if (!term.is_axis)
    throw at_line(file, node.Mark(), fmt::format("{} takes only one value; it cannot be varied", term.name));
  std::vector<std::string> texts;
  for (const YAML::Node& element : node) texts.push_back(scalar_text(file, element, term.name));
  return texts;
}

// A map, or the text that the flag takes.
Json baseline_value(const std::filesystem::path& file, const YAML::Node& node) {
  if (node.IsSequence()) {
    throw at_line(file, node.Mark(), "baseline takes a map of settings such as '{attention: eager}', not a list");
  }
  if (!node.IsMap()) return parse_baseline(scalar_text(file, node, "baseline"));
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& pair : node) {
    const std::string name = scalar_text(file, pair.first, "a setting of the baseline");
    if (pair.second.IsSequence()) throw at_line(file, pair.second.Mark(), "baseline: " + name + " takes one value");
    settings.emplace_back(name, scalar_text(file, pair.second, "baseline: " + name));
  }
  return baseline_of(settings);
}

std::vector<Json> values_of(const std::filesystem::path& file, const SettingTerm& term, const YAML::Node& node) {
  if (term.kind == SettingKind::kBaseline) return {baseline_value(file, node)};
  return parse_plan_values(term, value_texts(file, term, node));
}

}  // namespace

void Plan::apply_file(const std::filesystem::path& file) {
  const YAML::Node root = parse(file);
  std::map<std::string, YAML::Mark> seen;
  for (const auto& pair : root) {
    const YAML::Mark mark = pair.first.Mark();
    const std::string name = scalar_text(file, pair.first, "a setting's name");
    try {
      const SettingTerm& term = setting_term(name);
      if (!seen.emplace(name, mark).second) {
        throw Error(ErrorKind::kBadInput,
                    fmt::format("'{}' is set twice, first on line {}", name, seen[name].line + 1));
      }
      entries_[name] = {values_of(file, term, pair.second), fmt::format("plan {}:{}", file.string(), mark.line + 1)};
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(file.string() + ":")) throw;
      throw at_line(file, mark, error.what());
    }
  }
}

}  // namespace transformeter
