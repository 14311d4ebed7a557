// The keys of steps are taken out; what stays is a plan.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/pipeline.h"
#include "pipeline/plan_text.h"
#include "plots/pictures.h"
#include "run/plan.h"
#include "run/plan_document.h"
#include "run/plan_keys.h"
#include "schema/scenario.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using NodeKind = PlanNode::Kind;

constexpr std::array kPictureOptions{"picture", "y", "x", "by", "where", "log", "title", "names", "baseline"};
constexpr std::array kFormats{"html", "htm", "md", "pdf", "pptx", "csv", "json", "jsonl", "txt"};
constexpr std::array kDefaultReports{"report.html", "cases.csv"};

// What the pipeline decides itself.
bool is_of_pipeline(const SettingTerm& term) {
  return term.name == "store" || term.name == "name";
}

Error bad(const std::string& message) {
  return Error(ErrorKind::kBadInput, message);
}

bool is_none(const PlanNode& node) {
  return node.kind == NodeKind::kScalar && node.text == "none";
}

const std::string& text_of(const PlanNode& node, std::string_view what) {
  if (node.kind != NodeKind::kScalar) throw bad(fmt::format("{} takes a single value", what));
  return node.text;
}

// Of a list, or of one in place of a list.
std::vector<PlanNode> elements_of(const PlanNode& node) {
  return node.kind == NodeKind::kList ? node.elements : std::vector<PlanNode>{node};
}

// Names become parts of file names and words of command lines.
void check_name(std::string_view what, const std::string& name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  if (!name.empty() && name.front() != '.' && name.front() != '-' && std::all_of(name.begin(), name.end(), is_plain)) {
    return;
  }
  throw bad_value(what, name, "letters, digits, '.', '_' and '-', beginning with a letter or digit");
}

std::string plain_name(std::string text) {
  for (char& c : text) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!is_plain) c = '-';
  }
  return text;
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
    at(settings.members.empty() ? 0 : settings.members.front().line, [&] { check_name("name", pipeline_.name); });
    read_steps(steps);
    return std::move(pipeline_);
  }

 private:
  // What fails in it is an error of that line.
  template <typename Function>
  void at(int line, const Function& function) const {
    try {
      function();
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(file_.string() + ":")) throw;
      throw plan_error(file_, line, error.what());
    }
  }

  // The nearest key may be one of a step.
  void check_key(const PlanMember& member) const {
    if (is_plan_section(member.key)) return;
    at(member.line, [&] {
      try {
        term_of_plan_key(member.key, true);
      } catch (const Error&) {
        const auto near = nearest(member.key, std::vector<std::string>(kPipelineKeys.begin(), kPipelineKeys.end()));
        if (!near) throw;
        throw bad(fmt::format("'{}' is neither a setting nor a step; did you mean '{}'?", excerpt(member.key), *near));
      }
    });
  }

  // Runs come first: pictures name them.
  void read_steps(const std::vector<PlanMember>& steps) {
    std::array<const PlanMember*, kPipelineKeys.size()> found{};
    for (const PlanMember& member : steps) {
      const auto place = static_cast<std::size_t>(std::find(kPipelineKeys.begin(), kPipelineKeys.end(), member.key) -
                                                  kPipelineKeys.begin());
      if (found[place] != nullptr) {
        throw plan_error(file_, member.line,
                         fmt::format("'{}' is set twice, first on line {}", member.key, found[place]->line));
      }
      found[place] = &member;
    }
    const auto read = [&](std::size_t place, const auto& function) {
      if (found[place] == nullptr) return function(nullptr);
      at(found[place]->line, [&] { function(&found[place]->value); });
    };
    read(0, [&](const PlanNode* node) { read_measure(node); });
    find_data();
    read(1, [&](const PlanNode* node) { read_profile(node); });
    read(2, [&](const PlanNode* node) { read_pictures(node); });
    read(3, [&](const PlanNode* node) { read_reports(node); });
  }

  // The common settings, those of `settings`, and what stands above both.
  Plan plan_with(const PlanNode& settings) const {
    Plan plan = common_;
    if (settings.kind == NodeKind::kMap) {
      plan.apply_settings(file_, settings);
    } else if (settings.kind != NodeKind::kNull) {
      throw bad("it takes a map of settings, e.g. '{batch_size: [1, 8]}'");
    }
    for (const PipelineOverride& one : overrides_) {
      if (is_of_pipeline(setting_term(one.setting))) {
        throw bad(fmt::format("the pipeline itself decides '{}'; it cannot be set", one.setting));
      }
      plan.apply_flag(one.setting, one.value);
    }
    return plan;
  }

  void add_run(const std::string& name, Plan plan) {
    if (plan.at("store").origin != "default") {
      throw bad("a pipeline keeps its results in its own folder; remove 'store' and choose the folder with -o");
    }
    pipeline_.runs.push_back({name, plan_text(plan, [](const SettingTerm& term) { return !is_of_pipeline(term); })});
    plans_.push_back(std::move(plan));
  }

  void read_measure(const PlanNode* node) {
    if (node == nullptr) return add_run(pipeline_.name, plan_with(PlanNode()));
    if (node->kind != NodeKind::kMap || node->members.empty()) {
      throw bad("measure takes a map of runs with settings of their own, e.g. 'training: {scenario: train}'");
    }
    for (const PlanMember& member : node->members) {
      at(member.line, [&] {
        check_name("measure", member.key);
        for (const PipelineRun& run : pipeline_.runs) {
          if (run.name == member.key) throw bad(fmt::format("run '{}' is there twice", member.key));
        }
        add_run(member.key, plan_with(member.value));
      });
    }
  }

  // Each data set of files once, in the tokens of the first model that reads it.
  void find_data() {
    std::vector<std::string> seen;
    for (const Plan& plan : plans_) {
      for (const Json& value : plan.at("data").values) {
        const auto file = value.get<std::string>();
        if (file == kSyntheticData || std::find(seen.begin(), seen.end(), file) != seen.end()) continue;
        seen.push_back(file);
        PipelineData data;
        data.file = seen.size() == 1 ? "data.txt" : fmt::format("data-{}.txt", seen.size());
        data.arguments = {file, "--model", plan.at("model").values.front().get<std::string>()};
        for (const char* name : {"text_column", "text_pair_column", "label_column", "labels", "split"}) {
          if (!plan.has(name)) continue;
          data.arguments.push_back(flag_of(name));
          data.arguments.push_back(plan.value(name).get<std::string>());
        }
        pipeline_.data.push_back(std::move(data));
      }
    }
  }

  static bool has_forward_pass(const Plan& plan) {
    const Json& scenario = plan.at("scenario").values.front();
    return scenario == Json(Scenario::kBatch) || scenario == Json(Scenario::kOffline);
  }

  void read_profile(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return;
    if (node != nullptr) {
      set_profile(plan_with(*node));
      return;
    }
    const auto first = std::find_if(plans_.begin(), plans_.end(), has_forward_pass);
    if (first == plans_.end()) return;
    Plan plan = *first;
    for (const SettingTerm& term : setting_terms()) {
      if (!term.is_axis || !plan.has(term.name) || plan.at(term.name).origin == "default") continue;
      const Json value = plan.at(term.name).values.front();
      plan.replace_values(term.name, [&](const Json&) { return value; });
    }
    set_profile(plan);
  }

  void set_profile(const Plan& plan) {
    const auto is_profiled = [](const SettingTerm& term) { return term.commands.profile && !is_of_pipeline(term); };
    pipeline_.profile_text = plan_text(plan, is_profiled);
    if (pipeline_.profile_text.empty()) pipeline_.profile_text = "model: distilbert-base\n";
  }

  std::vector<std::string> run_names() const {
    std::vector<std::string> names;
    for (const PipelineRun& run : pipeline_.runs) names.push_back(run.name);
    return names;
  }

  void read_pictures(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return;
    if (node == nullptr) {
      for (const std::string& run : run_names()) {
        for (const PictureType& type : picture_types()) add_picture({run}, type.name, {"--picture", type.name}, false);
      }
      return;
    }
    for (const PlanNode& element : elements_of(*node)) {
      if (element.kind == NodeKind::kMap) {
        read_picture(element);
        continue;
      }
      const std::string name = picture_type(text_of(element, "pictures")).name;
      for (const std::string& run : run_names()) {
        add_picture({run}, name, {"--picture", name}, pipeline_.runs.size() == 1);
      }
    }
  }

  void read_picture(const PlanNode& map) {
    std::vector<std::string> runs = run_names();
    std::vector<std::string> arguments;
    std::string name, file;
    bool is_of_each_run = true;
    for (const PlanMember& member : map.members) {
      at(member.line, [&] {
        if (member.key == "run" || member.key == "runs") {
          runs = chosen_runs(member.value);
          is_of_each_run = false;
        } else if (member.key == "file") {
          file = text_of(member.value, "file");
          check_name("file", file);
        } else if (member.key == "linear") {
          if (text_of(member.value, "linear") == "true") arguments.emplace_back("--linear");
        } else {
          add_option(member, arguments);
        }
        if (member.key == "picture" || member.key == "y") name = arguments.back();
      });
    }
    if (name.empty()) throw bad("a picture needs 'picture' or 'y', e.g. '{y: throughput_samples, x: batch_size}'");
    if (!is_of_each_run || runs.size() == 1) return add_picture(runs, plain_name(name), arguments, true, file);
    if (!file.empty()) throw bad("a picture with 'file' needs 'run' too: there are several runs");
    for (const std::string& run : runs) add_picture({run}, plain_name(name), arguments, false);
  }

  static void add_option(const PlanMember& member, std::vector<std::string>& arguments) {
    if (std::find(kPictureOptions.begin(), kPictureOptions.end(), member.key) == kPictureOptions.end()) {
      std::vector<std::string> known(kPictureOptions.begin(), kPictureOptions.end());
      for (const char* more : {"run", "file", "linear"}) known.emplace_back(more);
      throw unknown_value("pictures", member.key, known);
    }
    std::vector<std::string> texts;
    for (const PlanNode& element : elements_of(member.value)) texts.push_back(text_of(element, member.key));
    if (member.key == "picture") picture_type(texts.front());
    arguments.push_back("--" + member.key);
    arguments.push_back(fmt::format("{}", fmt::join(texts, ",")));
  }

  std::vector<std::string> chosen_runs(const PlanNode& node) const {
    const std::vector<std::string> known = run_names();
    std::vector<std::string> chosen;
    for (const PlanNode& element : elements_of(node)) {
      const std::string& name = text_of(element, "run");
      if (std::find(known.begin(), known.end(), name) == known.end()) throw unknown_value("run", name, known);
      chosen.push_back(name);
    }
    return chosen;
  }

  void add_picture(std::vector<std::string> runs, const std::string& name, std::vector<std::string> arguments,
                   bool is_wanted, std::string file = "") {
    if (file.empty()) file = fmt::format("{}-{}.svg", fmt::join(runs, "-"), name);
    for (const PipelinePicture& other : pipeline_.pictures) {
      if (other.file == file) throw bad(fmt::format("two pictures have the file '{}'; name one with 'file'", file));
    }
    pipeline_.pictures.push_back({std::move(runs), std::move(file), std::move(arguments), is_wanted});
  }

  void read_reports(const PlanNode* node) {
    if (node != nullptr && is_none(*node)) return;
    if (node == nullptr) {
      pipeline_.reports.assign(kDefaultReports.begin(), kDefaultReports.end());
      return;
    }
    for (const PlanNode& element : elements_of(*node)) {
      std::string name = text_of(element, "report");
      if (name.find('.') == std::string::npos) name = "report." + name;
      check_name("report", name);
      const std::string ending = fs::path(name).extension().string();
      if (ending.empty() || std::find(kFormats.begin(), kFormats.end(), ending.substr(1)) == kFormats.end()) {
        throw unknown_value("report", ending.empty() ? name : ending.substr(1), {kFormats.begin(), kFormats.end()});
      }
      if (std::find(pipeline_.reports.begin(), pipeline_.reports.end(), name) != pipeline_.reports.end()) {
        throw bad(fmt::format("report '{}' is there twice", name));
      }
      pipeline_.reports.push_back(std::move(name));
    }
  }

  fs::path file_;
  const std::vector<PipelineOverride>& overrides_;
  Plan common_;
  Pipeline pipeline_;
  std::vector<Plan> plans_;  // of the runs
};

}  // namespace

Pipeline read_pipeline(const fs::path& file, const std::vector<PipelineOverride>& overrides) {
  return PipelineReader(file, overrides).read();
}

}  // namespace transformeter
