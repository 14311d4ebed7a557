// The keys of steps are taken out; what stays is a plan.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/plain_name.h"
#include "base/text.h"
#include "datasets/data_layout.h"
#include "pipeline/pipeline.h"
#include "pipeline/pipeline_nodes.h"
#include "pipeline/pipeline_pictures.h"
#include "run/plan.h"
#include "run/plan_document.h"
#include "run/plan_keys.h"
#include "run/plan_text.h"
#include "schema/profile.h"
#include "schema/scenario.h"
#include "schema/settings.h"
#include "spec/presets.h"
#include "spec/textless_models.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using NodeKind = PlanNode::Kind;

constexpr std::array kFormats{"html", "htm", "md", "pdf", "pptx", "csv", "json", "jsonl", "txt"};
constexpr std::array kDefaultReports{"report.html", "cases.csv"};
// Keys of step `profile` that are no settings.
constexpr std::array<std::string_view, 2> kProfileKeys{"record", "passes"};

bool is_reserved(const std::string& file) {
  return file == "README.md" || file == "pipeline.json" || file.starts_with("data") || file.starts_with("profile") ||
         file.starts_with("results.db");
}

// What the pipeline decides itself.
bool is_of_pipeline(const SettingTerm& term) {
  return term.name == "store" || term.name == "name";
}

// The error for an unknown setting would list settings alone.
void check_is_of_no_step(std::string_view key) {
  if (is_pipeline_key(key)) {
    throw pipeline_fault(fmt::format("'{}' is a step, not a setting: change it in the file", key));
  }
  if (std::find(kProfileKeys.begin(), kProfileKeys.end(), key) == kProfileKeys.end()) return;
  throw pipeline_fault(
      fmt::format("'{}' is a key of the profile, not a setting: write it under 'profile' in the file", key));
}

Error of_override(const PipelineOverride& one, const Error& error) {
  return Error(error.kind(), fmt::format("--set {}={}: {}", one.setting, one.value, error.what()));
}

// Before the file is read, so that no line of it is blamed.
void check_overrides(const std::vector<PipelineOverride>& overrides) {
  for (const PipelineOverride& one : overrides) {
    try {
      check_is_of_no_step(one.setting);
      if (is_of_pipeline(setting_term(one.setting))) throw pipeline_fault("the pipeline itself decides it");
      Plan().apply_flag(one.setting, one.value);
    } catch (const Error& error) {
      throw of_override(one, error);
    }
  }
}

// Images have no lengths to tell.
bool is_image_folder(const std::string& data) {
  std::error_code code;
  return std::filesystem::is_directory(data, code) && !holds_data_files(data);
}

class PipelineReader {
 public:
  PipelineReader(const fs::path& file, const std::vector<PipelineOverride>& overrides)
      : file_(file), overrides_(overrides) {}

  Pipeline read() {
    const PlanNode document = read_plan_document(file_);
    PlanNode settings;
    settings.kind = NodeKind::kMap;
    std::vector<PlanMember> steps;
    for (const PlanMember& member : document.members) {
      const bool is_step = is_pipeline_key(member.key);
      if (!is_step) check_key(member);
      (is_step ? steps : settings.members).push_back(member);
    }
    common_.apply_settings(file_, settings);
    pipeline_.name = common_.text_or("name", file_.stem().string());
    check_pipeline_name(settings);
    read_steps(steps);
    check_common_settings(settings);
    return std::move(pipeline_);
  }

 private:
  void at(int line, const std::function<void()>& read) const { read_at(file_, line, read); }

  // Its line is not known where the file's own name is taken.
  void check_pipeline_name(const PlanNode& settings) const {
    const auto named = std::find_if(settings.members.begin(), settings.members.end(),
                                    [](const PlanMember& member) { return member.key == "name"; });
    at(named == settings.members.end() ? 0 : named->line, [&] { check_plain_name("name", pipeline_.name); });
  }

  // The nearest key may be one of a step.
  void check_key(const PlanMember& member) const {
    if (is_plan_section(member.key)) return;
    at(member.line, [&] {
      check_is_of_no_step(member.key);
      try {
        term_of_plan_key(member.key, true);
      } catch (const Error&) {
        const auto near = nearest(member.key, std::vector<std::string>(kPipelineKeys.begin(), kPipelineKeys.end()));
        if (!near) throw;
        throw pipeline_fault(
            fmt::format("'{}' is neither a setting nor a step; did you mean '{}'?", excerpt(member.key), *near));
      }
    });
  }

  // Runs come first: pictures name them.
  void read_steps(const std::vector<PlanMember>& steps) {
    std::map<std::string_view, const PlanMember*> found;
    for (const PlanMember& member : steps) {
      const auto [first, is_new] = found.emplace(member.key, &member);
      if (is_new) continue;
      throw plan_error(file_, member.line,
                       fmt::format("'{}' is set twice, first on line {}", member.key, first->second->line));
    }
    const auto read = [&](std::string_view key, const std::function<void(const PlanNode*)>& function) {
      const auto member = found.find(key);
      if (member == found.end()) return function(nullptr);
      at(member->second->line, [&] { function(&member->second->value); });
    };
    read("measure", [&](const PlanNode* node) { read_measure(node); });
    find_data();
    read("profile", [&](const PlanNode* node) { read_profile(node); });
    read("pictures",
         [&](const PlanNode* node) { pipeline_.pictures = read_pipeline_pictures(file_, node, run_names()); });
    read("report", [&](const PlanNode* node) { read_reports(node); });
  }

  // The common settings, those of `settings`, and what stands above both.
  Plan plan_with(const PlanNode& settings) const {
    Plan plan = common_;
    if (settings.kind == NodeKind::kMap) {
      plan.apply_settings(file_, settings);
    } else if (settings.kind != NodeKind::kNull) {
      throw pipeline_fault("a run, and the profile, take a map of settings, e.g. '{batch_size: [1, 8]}'");
    }
    for (const PipelineOverride& one : overrides_) plan.apply_flag(one.setting, one.value);
    return plan;
  }

  void add_run(const std::string& name, Plan plan, const std::function<bool(const SettingTerm&)>& is_wanted) {
    if (plan.at("store").origin != "default") {
      throw pipeline_fault(
          "a pipeline keeps its results in its own folder; remove 'store' and choose the folder with -o");
    }
    pipeline_.runs.push_back({name, plan_text(plan, is_wanted)});
    plans_.push_back(std::move(plan));
  }

  void read_measure(const PlanNode* node) {
    const auto is_of_run = [](const SettingTerm& term) { return !is_of_pipeline(term); };
    if (node == nullptr) return add_run(pipeline_.name, plan_with(PlanNode()), is_of_run);
    if (node->kind != NodeKind::kMap || node->members.empty()) {
      throw pipeline_fault(
          "measure takes a map of runs with settings of their own, e.g. 'training: {scenario: train}'");
    }
    for (const PlanMember& member : node->members) {
      at(member.line, [&] {
        check_plain_name("measure", member.key);
        if (member.key == "profile") throw refused_value("measure", member.key, "it is the profile's name");
        for (const PipelineRun& run : pipeline_.runs) {
          if (run.name == member.key) throw pipeline_fault(fmt::format("run '{}' is there twice", member.key));
        }
        const Plan plan = plan_with(member.value);
        check_own_settings(member.value, plan, is_of_run);
        add_run(member.key, plan,
                [&](const SettingTerm& term) { return is_of_run(term) && may_apply_to_some(term, plan); });
      });
    }
  }

  // Each way of reading a data set once, in the tokens of the first model that reads it so.
  void find_data() {
    std::set<std::vector<std::string>> seen;
    for (const Plan& plan : plans_) {
      std::vector<std::string> reading;
      for (const char* name : {"text_column", "text_pair_column", "label_column", "labels", "split"}) {
        if (plan.has(name)) reading.insert(reading.end(), {flag_of(name), plan.value(name).get<std::string>()});
      }
      const std::string model = typed_preset(plan.at("model").values.front().get<std::string>());
      if (is_textless_model(model)) continue;
      for (const Json& value : plan.at("data").values) {
        std::vector<std::string> arguments{value.get<std::string>()};
        arguments.insert(arguments.end(), reading.begin(), reading.end());
        if (is_image_folder(arguments.front())) continue;  // whose model may be of the hub
        if (arguments.front() == kSyntheticData || !seen.insert(arguments).second) continue;
        arguments.insert(arguments.end(), {"--model", model});
        const std::string file = seen.size() == 1 ? "data.txt" : fmt::format("data-{}.txt", seen.size());
        pipeline_.data.push_back({file, std::move(arguments)});
      }
    }
  }

  static bool has_scenario(const Plan& plan, Scenario scenario) {
    return plan.at("scenario").values.front() == Json(scenario);
  }
  static bool has_forward_pass(const Plan& plan) {
    return has_scenario(plan, Scenario::kBatch) || has_scenario(plan, Scenario::kOffline);
  }

  // Elsewhere only what the file asks for: a GPU may not let this user profile.
  static bool is_of_cpu(const Plan& plan) {
    const Json& device = plan.at("device").values.front();
    return device == "cpu" || device == "auto";
  }

  static bool may_apply_to_some(const SettingTerm& term, const Plan& plan) {
    const std::vector<Json>& scenarios = plan.at("scenario").values;
    return std::any_of(scenarios.begin(), scenarios.end(),
                       [&](const Json& scenario) { return may_apply(term, scenario.get<Scenario>()); });
  }

  void read_profile(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return;
    if (node != nullptr) {
      const PlanNode settings = without_profile_options(*node);
      Plan plan = plan_with(settings);
      check_profile_settings(settings);
      check_own_settings(settings, plan, is_of_profile);
      set_profile(plan);
      return;
    }
    auto first = std::find_if(plans_.begin(), plans_.end(), has_forward_pass);
    if (first == plans_.end()) first = plans_.begin();
    if (first == plans_.end() || !is_of_cpu(*first)) return;
    Plan plan = *first;
    for (const SettingTerm& term : setting_terms()) {
      if (!term.is_axis || !is_given(plan, term)) continue;
      Json value = plan.at(term.name).values.front();
      plan.replace_values(term.name, [&](const Json&) { return value; });
    }
    set_profile(plan);
  }

  // What it says beside settings of the plan goes into the pipeline.
  PlanNode without_profile_options(PlanNode node) {
    const auto take = [&](std::string_view key, const std::function<void(const PlanNode&)>& read) {
      const auto member =
          std::find_if(node.members.begin(), node.members.end(), [&](const PlanMember& one) { return one.key == key; });
      if (node.kind != NodeKind::kMap || member == node.members.end()) return;
      at(member->line, [&] { read(member->value); });
      node.members.erase(member);
    };
    take("record", [&](const PlanNode& value) { read_record(value); });
    take("passes", [&](const PlanNode& value) {
      const auto passes = parse_integer(text_of(value, "passes"));
      if (!passes || *passes < 1) throw bad_value("passes", text_of(value, "passes"), "a whole number, 1 or more");
      pipeline_.profile_arguments.insert(pipeline_.profile_arguments.end(), {"--passes", std::to_string(*passes)});
    });
    if (node.kind == NodeKind::kMap && node.members.empty()) node.kind = NodeKind::kNull;
    return node;
  }

  void read_record(const PlanNode& value) {
    std::vector<std::string> words;
    for (const PlanNode& element : elements_of(value, "record")) words.push_back(text_of(element, "record"));
    ProfileOptions options;
    set_recorded(options, words);
    pipeline_.profiles_memory = options.memory;
    pipeline_.profile_arguments.insert(pipeline_.profile_arguments.end(),
                                       {"--record", fmt::format("{}", fmt::join(words, ","))});
  }

  static bool is_of_profile(const SettingTerm& term) { return term.commands.profile && !is_of_pipeline(term); }

  static bool is_given(const Plan& plan, const SettingTerm& term) {
    return plan.has(term.name) && plan.at(term.name).origin != "default";
  }

  // What a run or the profile says itself.
  Plan own_plan(const PlanNode& settings) const {
    Plan own;
    if (settings.kind == NodeKind::kMap) own.apply_settings(file_, settings);
    return own;
  }

  // Common settings may be of other steps; its own, of those that it takes, must apply.
  void check_own_settings(const PlanNode& settings, const Plan& plan, bool (*takes)(const SettingTerm&)) const {
    const Plan own = own_plan(settings);
    for (const SettingTerm& term : setting_terms()) {
      if (!is_given(own, term) || !takes(term) || may_apply_to_some(term, plan)) continue;
      at(line_of(settings, term), [&] {
        throw pipeline_fault(fmt::format("'{}' does not apply here, only to {}", term.name, use_text(term.use)));
      });
    }
  }

  // Common settings and overrides: some run, or the profile, must have a use for each.
  void check_common_settings(const PlanNode& settings) const {
    const Plan common = plan_with(PlanNode());
    for (const SettingTerm& term : setting_terms()) {
      if (!is_given(common, term) || is_of_pipeline(term)) continue;
      const bool has_use =
          std::any_of(plans_.begin(), plans_.end(), [&](const Plan& plan) { return may_apply_to_some(term, plan); });
      if (has_use || (profiled_ && is_of_profile(term) && may_apply_to_some(term, *profiled_))) continue;
      const Error fault =
          pipeline_fault(fmt::format("'{}' applies to none of the runs, only to {}", term.name, use_text(term.use)));
      const auto override = std::find_if(overrides_.begin(), overrides_.end(), [&](const PipelineOverride& one) {
        return setting_term(one.setting).name == term.name;
      });
      if (override != overrides_.end()) throw of_override(*override, fault);
      at(line_of(settings, term), [&] { throw fault; });
    }
  }

  // Where `settings` name it; else 0.
  static int line_of(const PlanNode& settings, const SettingTerm& term) {
    for (const PlanMember& member : settings.members) {
      if (is_plan_section(member.key)) {
        if (const int line = line_of(member.value, term); line > 0) return line;
      } else if (term_of_plan_key(member.key, false).name == term.name) {
        return member.line;
      }
    }
    return 0;
  }

  void check_profile_settings(const PlanNode& settings) const {
    const Plan own = own_plan(settings);
    for (const SettingTerm& term : setting_terms()) {
      if (!is_given(own, term)) continue;
      if (is_of_pipeline(term)) throw pipeline_fault(fmt::format("the pipeline itself decides '{}'", term.name));
      if (term.commands.profile) continue;
      throw pipeline_fault(fmt::format(
          "a profile has no setting '{}'; 'transformeter profile --help-all' lists its settings", term.name));
    }
  }

  void set_profile(const Plan& plan) {
    profiled_ = plan;
    pipeline_.profile_text =
        plan_text(plan, [&](const SettingTerm& term) { return is_of_profile(term) && may_apply_to_some(term, plan); });
  }

  std::vector<std::string> run_names() const {
    std::vector<std::string> names;
    for (const PipelineRun& run : pipeline_.runs) names.push_back(run.name);
    return names;
  }

  void read_reports(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return;
    if (node == nullptr) {
      pipeline_.reports.assign(kDefaultReports.begin(), kDefaultReports.end());
      return;
    }
    for (const PlanNode& element : elements_of(*node, "report")) {
      std::string name = text_of(element, "report");
      if (name.find('.') == std::string::npos) name = "report." + name;
      check_plain_name("report", name);
      const std::string ending = fs::path(name).extension().string();
      if (ending.empty() || std::find(kFormats.begin(), kFormats.end(), ending.substr(1)) == kFormats.end()) {
        throw unknown_value("report", ending.empty() ? name : ending.substr(1), {kFormats.begin(), kFormats.end()});
      }
      if (is_reserved(name)) throw refused_value("report", name, "the pipeline writes that file itself");
      if (std::find(pipeline_.reports.begin(), pipeline_.reports.end(), name) != pipeline_.reports.end()) {
        throw pipeline_fault(fmt::format("report '{}' is there twice", name));
      }
      pipeline_.reports.push_back(std::move(name));
    }
  }

  fs::path file_;
  const std::vector<PipelineOverride>& overrides_;
  Plan common_;
  Pipeline pipeline_;
  std::vector<Plan> plans_;       // of the runs
  std::optional<Plan> profiled_;  // of the profile
};

}  // namespace

Pipeline read_pipeline(const fs::path& file, const std::vector<PipelineOverride>& overrides) {
  check_overrides(overrides);
  return PipelineReader(file, overrides).read();
}

}  // namespace transformeter
