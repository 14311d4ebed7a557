// `transformeter profile`: where the time of a forward pass, a training step or a request goes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/case_label.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/plan_command.h"
#include "cli/profile_files.h"
#include "cli/profile_outcome.h"
#include "cli/profile_output.h"
#include "cli/standard_output.h"
#include "cli/status_line.h"
#include "run/prepare_run.h"
#include "run/profile.h"
#include "run/run_peaks.h"
#include "schema/settings.h"
#include "schema/status.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter profile", "DistilBERT-base with seeded random weights, one batch of 8 rows of 128 tokens"},
    {"transformeter profile --engine fast --flame-graph pass.svg \\\n    --trace pass.json",
     "a picture for the browser, and a trace for chrome://tracing or ui.perfetto.dev"},
    {"transformeter profile --engine pytorch,fast", "both engines, and how their passes differ"},
    {"transformeter profile --scenario train --batch-size 4", "a training step: forward, backward and optimizer"},
    {"transformeter profile --scenario generate --model gpt2", "a request: prefill and decode"},
    {"transformeter profile --scenario train --memory-plot step.svg", "memory over a step, and what holds its peak"},
    {"transformeter profile --against before.json", "what changed since `profile -o before.json`"},
    {"transformeter profile --model my-model/ --data dev.tsv \\\n    --sequence-length natural --record work,memory"},
    {"transformeter profile --peaks measure", "with the machine's limits, so that it can say what bounds each part"},
    {"transformeter profile -o pass.json", "the same tables as data in a file, .json or .csv; or as text, .txt"},
    {"transformeter profile --record none --stacks pass.folded", "the least overhead; stacks for flamegraph.pl"},
};
constexpr const char* kNotes[] = {
    "A pass, step or request is timed without the profiler, with it, and without it again; the first line says how "
    "much it slows down. Results are printed, not stored. docs/profile.md explains the tables.",
    kListNote,
    "Exit codes: 0 at least one case is ok and none failed, 1 a case failed or none is ok, 3 bad input, 130 "
    "interrupted.",
};

// One case unless more are asked for: a profile is read, not swept.
constexpr SettingDefault kDefaults[] = {{"batch_size", "8"}, {"sequence_length", "128"}, {"precision", "fp32"}};
const std::vector<std::string> kFormats{"table", "json", "csv"};
constexpr FileEnding kEndings[] = {{".txt", "table"}, {".json", "json"}, {".csv", "csv"}};
constexpr const char* kProfileGroup = "profile";
constexpr std::int64_t kMostPasses = 1000;
constexpr std::int64_t kMostRows = 10'000;

class ProfileCommand final : public PlanCommand {
 public:
  ProfileCommand()
      : PlanCommand({.name = "profile",
                     .task = CommandTask::kMeasure,
                     .summary = "show where the time of a pass, step or request goes, by module and operator",
                     .examples = kExamples,
                     .notes = kNotes,
                     .has = [](const SettingTerm& term) { return term.commands.profile; },
                     .defaults = kDefaults}) {}

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    check_numbers();
    const std::vector<ProfileSummary> earlier = earlier_profiles();
    const ProfileOptions options = profile_options();
    Plan plan = make_plan(context);
    if (has_offline_) context.log(LogLevel::kInfo, "scenario offline is profiled as batch, whose batches it runs");
    const std::string store = plan.value("store").get<std::string>();
    check_table_file();
    if (!has_list(plan)) check_profile_files(files(), store);
    pin_hub_names(context, interrupt, plan);
    RunnerOptions asking = runner_options(plan, context.clock);
    asking.interrupt = &interrupt;
    PreparedRun prepared = prepare_run(context, plan, asking);
    const bool is_single = prepared.cases.size() == 1;
    check_profile_files(is_single ? files() : ProfileFiles{.tables = tables_}, store);
    for (const PlannedCase& planned : prepared.cases) {
      if (!is_single) check_profile_files(files().of_case(planned.record.id), store);
    }
    check_bases(prepared, earlier);
    attach_peaks(context, *open_peak_store(store, context.log),
                 peak_worker_options(context, prepared.worker, asking.worker_timeout, &interrupt), prepared);
    return profile_cases(context, prepared, options, asking, earlier);
  }

 protected:
  void declare_more(std::vector<OptionDeclaration>& options) override {
    const auto add = [&](OptionDeclaration option) {
      option.group = kProfileGroup;
      options.push_back(std::move(option));
    };
    add({.names = {"-o", "--output"},
         .target = &tables_,
         .placeholder = "FILE",
         .help = "file of the tables, beside what is printed; its ending, .txt, .json or .csv, chooses the format"});
    add({.names = {"--against"},
         .target = &against_,
         .placeholder = "FILE.json",
         .help =
             "table: compare with this earlier profile of the same work; default: of several cases with the first"});
    add({.names = {"--trace"},
         .target = &trace_,
         .placeholder = "FILE.json",
         .help = "trace for chrome://tracing or ui.perfetto.dev; of several cases FILE-c01.json, ..."});
    add({.names = {"--flame-graph"},
         .target = &flame_graph_,
         .placeholder = "FILE.svg",
         .help = "interactive flame graph, a single file for the browser"});
    add({.names = {"--stacks"},
         .target = &stacks_,
         .placeholder = "FILE",
         .help = "collapsed stacks with nanoseconds, for flamegraph.pl and speedscope"});
    add({.names = {"--memory-plot"},
         .target = &memory_plot_,
         .placeholder = "FILE.svg",
         .help = "memory over time with its peak, also .png or .pdf; records memory"});
    add({.names = {"--record"},
         .target = &record_,
         .placeholder = "WHAT,...",
         .help = "beside times: work (FLOPs and bytes), memory (over time, and its peak); each costs time",
         .initial = record_,
         .words = {kRecordWords.begin(), kRecordWords.end()},
         .has_only_words = true,
         .is_list = true});
    add({.names = {"--passes"},
         .target = &passes_,
         .placeholder = "N",
         .help = "passes, steps or requests to profile; default: those of a second, 5 to 20"});
    add({.names = {"--depth"},
         .target = &depth_,
         .placeholder = "N",
         .help = "table: parts of a module's name to show; default: one row per layer"});
    add({.names = {"--top"},
         .target = &top_,
         .placeholder = "N",
         .help = "table: rows of operators, and of modules over all layers",
         .initial = "15"});
    add(format_option(format_, kFormats));
  }

  // All texts at once have natural lengths.
  void apply_more(Plan& plan) override {
    const std::vector<Json>& scenarios = plan.at("scenario").values;
    const Json offline(Scenario::kOffline);
    has_offline_ = std::find(scenarios.begin(), scenarios.end(), offline) != scenarios.end();
    if (scenarios == std::vector{offline} && plan.at("sequence_length").origin == "default") {
      plan.apply_flag("sequence_length", "natural");
    }
    apply_defaults(plan, kDefaults);
    plan.replace_values("scenario", [&](const Json& scenario) -> Json {
      return scenario == offline ? Json(Scenario::kBatch) : scenario;
    });
  }

 private:
  ProfileFiles files() const { return {tables_, trace_, stacks_, flame_graph_, memory_plot_}; }

  void check_table_file() const { table_file_format(); }

  // Empty without such a file.
  std::string table_file_format() const {
    if (tables_.empty()) return "";
    return format_of_file(tables_, kEndings);
  }

  // Whether several cases are asked for for sure, whose files have other names.
  static bool has_list(const Plan& plan) {
    const std::span<const SettingTerm> terms = setting_terms();
    return std::any_of(terms.begin(), terms.end(), [&](const SettingTerm& term) {
      return term.is_axis && plan.has(term.name) && plan.at(term.name).values.size() > 1;
    });
  }

  void check_numbers() const {
    const auto check = [](const char* what, const std::optional<std::int64_t>& value, std::int64_t most) {
      if (!value || (*value >= 1 && *value <= most)) return;
      throw bad_value(what, std::to_string(*value), fmt::format("a whole number from 1 to {}", most));
    };
    check("passes", passes_, kMostPasses);
    check("depth", depth_, kMostRows);
    check("top", top_, kMostRows);
  }

  ProfileOptions profile_options() const {
    ProfileOptions options;
    std::vector<std::string> words;
    for (const std::string& part : split(record_, ',')) words.emplace_back(trim(part));
    set_recorded(options, words);
    options.memory = options.memory || !memory_plot_.empty();
    options.passes = passes_;
    return options;
  }

  int profile_cases(const Context& context, const PreparedRun& prepared, const ProfileOptions& options,
                    const RunnerOptions& asking, const std::vector<ProfileSummary>& earlier) const {
    std::vector<CaseRecord> records;
    for (const PlannedCase& planned : prepared.cases) records.push_back(planned.record);
    const std::vector<std::string> axes = varying_settings(records);
    std::vector<ProfileOutcome> outcomes;
    std::vector<Status> statuses;
    std::optional<Error> unwritten;
    for (const PlannedCase& planned : prepared.cases) {
      const std::string label = long_label(planned.record, axes);
      const ProfileFiles places = prepared.cases.size() == 1 ? files() : files().of_case(planned.record.id);
      context.log(LogLevel::kInfo, fmt::format("profiling {} {}", planned.record.id, label));
      StatusLine line(stderr);
      const auto show = [&](const Profiling& progress) { line.draw(progress_text(planned.record.id, progress)); };
      ProfileOutcome outcome = profile_planned(context, prepared, planned, {options, asking, places, label, show});
      line.clear();
      statuses.push_back(outcome.status);
      if (format_ == "table") write_standard_output(table_text(outcome, options, outcomes.empty()));
      outcomes.push_back(std::move(outcome));
      if (statuses.back() == Status::kInterrupted) break;
      try {
        write_files(context, outcomes.back(), places, asking);
      } catch (const Error& error) {
        unwritten = error;
        if (error.kind() == ErrorKind::kInterrupted) break;
      }
    }
    write_standard_output(format_ == "table" ? comparisons(outcomes, earlier) : text_of(outcomes, format_, options));
    // A profile that was stopped must not take the place of an earlier one.
    const bool has_profile = std::any_of(outcomes.begin(), outcomes.end(),
                                         [](const ProfileOutcome& outcome) { return outcome.profiled.has_value(); });
    if (!tables_.empty() && (has_profile || statuses.back() != Status::kInterrupted)) {
      write_file_atomically(tables_, text_of(outcomes, table_file_format(), options));
    }
    if (unwritten) throw *unwritten;  // after all that could be told
    return exit_code(statuses, false);
  }

  static std::string progress_text(const std::string& id, const Profiling& progress) {
    const std::string passes = fmt::format("{}: {} passes", id, progress.passes);
    return progress.total > 0 ? fmt::format("{} of {}, with the profiler and without", passes, progress.total) : passes;
  }

  void write_files(const Context& context, const ProfileOutcome& outcome, const ProfileFiles& places,
                   const RunnerOptions& asking) const {
    if (!outcome.profiled) return;
    if (!places.memory_plot.empty() && !outcome.profiled->profile.memory) {
      context.log(LogLevel::kWarning, fmt::format("no {}: the worker does not record memory over time; build it with "
                                                  "this version",
                                                  places.memory_plot.string()));
    }
    ToolOptions drawing;
    drawing.while_waiting = [&] { check_interrupt(*asking.interrupt); };
    write_profile_files(places, outcome.profiled->profile, outcome.label, drawing);
  }

  std::string text_of(const std::vector<ProfileOutcome>& outcomes, const std::string& format,
                      const ProfileOptions& options) const {
    if (format == "json") return profile_json(outcomes, options);
    if (format == "csv") return profile_csv(outcomes, options);
    std::string text;
    for (const ProfileOutcome& outcome : outcomes) text += table_text(outcome, options, text.empty());
    return text;
  }

  // What --against names; nothing without it.
  std::vector<ProfileSummary> earlier_profiles() const {
    std::vector<ProfileSummary> earlier;
    if (against_.empty()) return earlier;
    if (format_ != "table") {
      throw Error(ErrorKind::kBadInput, fmt::format("--against applies to format table, not to {}", format_));
    }
    try {
      const Json file = parse_json(against_, read_file(against_));
      for (const Json& one : file.at("cases")) {
        if (one.at("status").get<std::string>() == name_of(Status::kOk)) earlier.push_back(profile_summary_from(one));
      }
    } catch (const Json::exception&) {
      throw refused_value("against", against_, "it is no profile as -o FILE.json writes it");
    } catch (const Error& error) {
      throw refused_value("against", against_, error.what());
    }
    if (earlier.empty()) throw refused_value("against", against_, "it holds no profile that is ok");
    return earlier;
  }

  // With the first profile of the same work, among earlier ones or else among these; of a file the one with the same
  // label, where there is one.
  std::string comparisons(const std::vector<ProfileOutcome>& outcomes,
                          const std::vector<ProfileSummary>& earlier) const {
    std::vector<ProfileSummary> bases = earlier;
    std::string text;
    for (const ProfileOutcome& outcome : outcomes) {
      if (!outcome.profiled) continue;
      ProfileSummary now = profile_summary(outcome.label, outcome.requested, outcome.profiled->profile);
      if (const ProfileSummary* base = base_of(now, bases)) {
        text += "\n";
        text += comparison_text(*base, now, table_rows());
      } else if (earlier.empty()) {
        bases.push_back(std::move(now));
      } else {
        text += fmt::format("\n{}: not compared, since {} has other work: {}\n", now.label, against_,
                            fmt::join(changed_work(earlier.front(), now), ", "));
      }
    }
    return text;
  }

  // Before anything is profiled for a comparison that there cannot be.
  void check_bases(const PreparedRun& prepared, const std::vector<ProfileSummary>& earlier) const {
    if (earlier.empty()) return;
    const auto has_base = [&](const PlannedCase& planned) {
      ProfileSummary now;
      now.requested = planned.record.requested;
      return base_of(now, earlier) != nullptr;
    };
    if (std::any_of(prepared.cases.begin(), prepared.cases.end(), has_base)) return;
    ProfileSummary now;
    now.requested = prepared.cases.front().record.requested;
    throw refused_value(
        "against", against_,
        fmt::format("its profiles are of other work: {}", fmt::join(changed_work(earlier.front(), now), ", ")));
  }

  static const ProfileSummary* base_of(const ProfileSummary& now, const std::vector<ProfileSummary>& bases) {
    const ProfileSummary* first = nullptr;
    for (const ProfileSummary& base : bases) {
      if (!is_same_work(base, now)) continue;
      if (base.label == now.label) return &base;
      if (first == nullptr) first = &base;
    }
    return first;
  }

  std::size_t table_rows() const {
    return static_cast<std::size_t>(top_.value_or(static_cast<std::int64_t>(ProfileTableOptions{}.rows)));
  }

  std::string table_text(const ProfileOutcome& outcome, const ProfileOptions& options, bool is_first) const {
    ProfileTableOptions shown;
    shown.rows = table_rows();
    if (depth_) shown.depth = static_cast<std::size_t>(*depth_);
    shown.shows_memory = options.memory;
    return fmt::format("{}{}", is_first ? "" : "\n", profile_text(outcome, shown));
  }

  bool has_offline_ = false;
  std::string against_, tables_, trace_, stacks_, flame_graph_, memory_plot_, format_;
  std::string record_ = "work";
  std::optional<std::int64_t> passes_, depth_, top_;
};

}  // namespace

std::unique_ptr<Command> make_profile_command() {
  return std::make_unique<ProfileCommand>();
}

}  // namespace transformeter
