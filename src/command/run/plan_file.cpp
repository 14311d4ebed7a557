// From the content of a plan file to entries of a plan.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "run/model_families.h"
#include "run/plan.h"
#include "run/plan_document.h"
#include "run/plan_keys.h"
#include "run/plan_values.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

using NodeKind = PlanNode::Kind;

const std::string& scalar_text(const PlanNode& node, std::string_view what) {
  if (node.kind == NodeKind::kNull) throw Error(ErrorKind::kBadInput, fmt::format("{} has no value", what));
  if (node.kind != NodeKind::kScalar) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} takes a value or a flat list of values", what));
  }
  return node.text;
}

std::vector<std::string> element_texts(const PlanNode& list, std::string_view what) {
  std::vector<std::string> texts;
  for (const PlanNode& element : list.elements) texts.push_back(scalar_text(element, what));
  return texts;
}

std::vector<std::string> value_texts(const SettingTerm& term, const PlanNode& node) {
  if (node.kind != NodeKind::kList) return split_plan_text(term, scalar_text(node, term.name));
  if (!term.is_axis) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} takes only one value; it cannot be varied", term.name));
  }
  return element_texts(node, term.name);
}

// A map, or the text that the flag takes.
Json baseline_value(const PlanNode& node) {
  if (node.kind == NodeKind::kList) {
    throw Error(ErrorKind::kBadInput, "baseline takes a map of settings such as '{attention: eager}', not a list");
  }
  if (node.kind != NodeKind::kMap) return parse_baseline(scalar_text(node, "baseline"));
  std::vector<std::pair<std::string, std::string>> settings;
  for (const PlanMember& member : node.members) {
    if (member.value.kind == NodeKind::kList || member.value.kind == NodeKind::kDropped) {
      throw Error(ErrorKind::kBadInput, fmt::format("baseline: {} takes one value", member.key));
    }
    settings.emplace_back(member.key, scalar_text(member.value, "baseline: " + member.key));
  }
  return baseline_of(settings);
}

// The models of a list of families, or of the comma list that the option takes.
std::vector<std::string> models_of(const PlanNode& node) {
  const std::string families = node.kind == NodeKind::kList
                                   ? fmt::format("{}", fmt::join(element_texts(node, kModelFamiliesKey), ","))
                                   : scalar_text(node, kModelFamiliesKey);
  return split(models_of_families(families), ',');
}

std::vector<Json> plan_values_of(const SettingTerm& term, const PlanMember& member) {
  if (term.kind == SettingKind::kBaseline) return {baseline_value(member.value)};
  return parse_plan_values(term,
                           member.key == kModelFamiliesKey ? models_of(member.value) : value_texts(term, member.value));
}

// The entries that a map of a file sets.
class PlanFileReader {
 public:
  explicit PlanFileReader(const std::filesystem::path& file) : file_(file) {}

  std::map<std::string, PlanEntry> read(const PlanNode& settings) {
    for (const PlanMember& member : without_repeated_keys(settings)) {
      if (is_plan_section(member.key) && member.value.kind == NodeKind::kMap) {
        read_section(member);
      } else {
        read_setting(member, "");
      }
    }
    return std::move(entries_);
  }

 private:
  struct Place {
    std::string key;  // "batch_size", "training.batch_sizes"
    int line;
  };

  const std::vector<PlanMember>& without_repeated_keys(const PlanNode& map) const {
    std::map<std::string_view, int> lines;
    for (const PlanMember& member : map.members) {
      const auto [first, is_new] = lines.try_emplace(member.key, member.line);
      if (is_new) continue;
      throw plan_error(file_, member.line,
                       fmt::format("'{}' is set twice, first on line {}", excerpt(member.key), first->second));
    }
    return map.members;
  }

  void read_section(const PlanMember& section) {
    if (section.value.members.empty()) {
      throw plan_error(file_, section.line, fmt::format("section '{}' is empty; omit it", section.key));
    }
    for (const PlanMember& member : without_repeated_keys(section.value)) read_setting(member, section.key);
  }

  // `section`: empty at the top.
  void read_setting(const PlanMember& member, const std::string& section) {
    try {
      check_nesting(member, section);
      const SettingTerm& term = term_of_plan_key(member.key, section.empty());
      set(term, {section.empty() ? member.key : section + "." + member.key, member.line}, member);
    } catch (const Error& error) {
      throw plan_error(file_, member.line, error.what());
    }
  }

  static void check_nesting(const PlanMember& member, const std::string& section) {
    if (!is_plan_section(member.key)) return;
    if (!section.empty() && member.value.kind == NodeKind::kMap) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("section '{}' cannot be in section '{}'; move it to the top level", member.key, section));
    }
    if (find_setting(member.key) != nullptr) return;
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{0}' is a section, not a setting; it takes a map of settings, e.g. '{0}: {{seed: 1}}'",
                            member.key));
  }

  void set(const SettingTerm& term, const Place& place, const PlanMember& member) {
    const std::string name(term.name);
    const auto [first, is_new] = places_.try_emplace(name, place);
    if (!is_new) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} is set twice: as '{}' on line {} and as '{}' on line {}; keep one", name,
                              first->second.key, first->second.line, place.key, place.line));
    }
    entries_[name] = {plan_values_of(term, member), fmt::format("plan {}:{}", file_.string(), member.line)};
  }

  const std::filesystem::path& file_;
  std::map<std::string, PlanEntry> entries_;
  std::map<std::string, Place> places_;  // by setting
};

}  // namespace

void Plan::apply_file(const std::filesystem::path& file) {
  const PlanNode document = read_plan_document(file);
  for (const PlanMember& member : document.members) {
    if (!is_pipeline_key(member.key)) continue;
    throw plan_error(file, member.line,
                     fmt::format("'{}' is a step of a pipeline: use `transformeter pipeline`", member.key));
  }
  apply_settings(file, document);
}

void Plan::apply_settings(const std::filesystem::path& file, const PlanNode& settings) {
  for (auto& [name, entry] : PlanFileReader(file).read(settings)) entries_[name] = std::move(entry);
}

}  // namespace transformeter
