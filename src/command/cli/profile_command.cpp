// `transformeter profile`: where the time of a forward pass, a training step or a request goes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/case_label.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/earlier_profiles.h"
#include "cli/hub_connection.h"
#include "cli/output_format.h"
#include "cli/plan_command.h"
#include "cli/profile_planned.h"
#include "cli/profile_view.h"
#include "cli/standard_output.h"
#include "cli/status_line.h"
#include "run/prepare_run.h"
#include "run/profile.h"
#include "run/run_peaks.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/profile_store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter profile", "DistilBERT-base with seeded random weights, one batch of 8 rows of 128 tokens"},
    {"transformeter profile --engine fast --flame-graph pass.svg \\\n    --trace pass.json",
     "a picture for the browser, and a trace for chrome://tracing or ui.perfetto.dev"},
    {"transformeter profile --engine pytorch,fast", "both engines, and how their passes differ"},
    {"transformeter profile --engine fast,openvino", "the same with OpenVINO's own counters, or ONNX Runtime's"},
    {"transformeter profile --scenario train --batch-size 4", "a training step: forward, backward and optimizer"},
    {"transformeter profile --scenario generate --model gpt2", "a request: prefill and decode"},
    {"transformeter profile --scenario train --memory-plot step.svg", "memory over a step, and what holds its peak"},
    {"transformeter profile --name before", "kept in the store by that name; `transformeter profiles before` shows it"},
    {"transformeter profile --engine fast --against before",
     "what changed since; also `latest`, or a file that `profile -o before.json` wrote"},
    {"transformeter profile --model my-model/ --data dev.tsv \\\n    --sequence-length natural --record work,memory"},
    {"transformeter profile --peaks measure", "with the machine's limits, so that it can say what bounds each part"},
    {"transformeter profile -o pass.json", "the same tables as data in a file, .json or .csv; or as text, .txt"},
    {"transformeter profile --record none --stacks pass.folded", "the least overhead; stacks for flamegraph.pl"},
};
constexpr const char* kNotes[] = {
    "A pass, step or request is timed without the profiler, with it, and without it again; the first line says how "
    "much it slows down. Each case is kept in the store, beside the runs: `transformeter profiles` lists them, and "
    "`transformeter report` shows those of a run's cases. docs/profile.md explains the tables.",
    kListNote,
    "Exit codes: 0 at least one case is ok and none failed, 1 a case failed or none is ok, 3 bad input, or "
    "a profile or file could not be written, 130 interrupted.",
};

// One case unless more are asked for: a profile is read, not swept.
constexpr SettingDefault kDefaults[] = {{"batch_size", "8"}, {"sequence_length", "128"}, {"precision", "fp32"}};
const std::vector<std::string> kFormats{"table", "json", "csv"};
constexpr const char* kProfileGroup = "profile";
constexpr std::int64_t kMostPasses = 1000;

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
    const ProfileOptions options = profile_options();
    Plan plan = make_plan(context);
    if (has_offline_) context.log(LogLevel::kInfo, "scenario offline is profiled as batch, whose batches it runs");
    const std::string path = plan.value("store").get<std::string>();
    check_name(plan.text_or("name", ""));
    const std::vector<ProfileSummary> earlier = asked_profiles(path, context.log);
    if (!has_list(plan)) check_profile_files(view_.files(trace_), path);
    pin_hub_names(context, interrupt, plan);
    RunnerOptions asking = runner_options(plan, context.clock);
    asking.interrupt = &interrupt;
    PreparedRun prepared = prepare_run(context, plan, asking);
    const bool is_single = prepared.cases.size() == 1;
    check_profile_files(is_single ? view_.files(trace_) : ProfileFiles{.tables = view_.files().tables}, path);
    for (const PlannedCase& planned : prepared.cases) {
      if (!is_single) check_profile_files(view_.files(trace_).of_case(planned.record.id), path);
    }
    check_bases(prepared, earlier);
    const std::unique_ptr<ProfileStore> store = open_profile_store(path, StoreMode::kWrite, context.log);
    attach_peaks(context, *open_peak_store(path, context.log),
                 peak_worker_options(context, prepared.worker, asking.worker_timeout, &interrupt), prepared);
    return profile_cases(context, *store, prepared, options, asking, earlier);
  }

 protected:
  void declare_more(std::vector<OptionDeclaration>& options) override {
    const auto add = [&](OptionDeclaration option) {
      option.group = kProfileGroup;
      options.push_back(std::move(option));
    };
    add({.names = {"--against"},
         .target = &against_,
         .placeholder = "PROFILE|FILE.json",
         .help = "table: earlier profile of the same work to compare with, stored or a file; default: the first case"});
    add({.names = {"--trace"},
         .target = &trace_,
         .placeholder = "FILE.json",
         .help = "trace for chrome://tracing or ui.perfetto.dev; of several cases FILE-c01.json, ..."});
    for (OptionDeclaration& option : view_.options("records memory")) add(std::move(option));
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
  // By which --against and `profiles` could not find it.
  static void check_name(const std::string& name) {
    if (name == kLatestProfile) throw refused_value("name", name, "it stands for the latest profile", "Choose another");
    if (name.ends_with(".json")) throw refused_value("name", name, "--against takes it for a file", "Choose another");
  }

  // Whether several cases are asked for for sure, whose files have other names.
  static bool has_list(const Plan& plan) {
    const std::span<const SettingTerm> terms = setting_terms();
    return std::any_of(terms.begin(), terms.end(), [&](const SettingTerm& term) {
      return term.is_axis && plan.has(term.name) && plan.at(term.name).values.size() > 1;
    });
  }

  void check_numbers() const {
    view_.check();
    if (!passes_ || (*passes_ >= 1 && *passes_ <= kMostPasses)) return;
    throw bad_value("passes", std::to_string(*passes_), fmt::format("a whole number from 1 to {}", kMostPasses));
  }

  ProfileOptions profile_options() const {
    ProfileOptions options;
    std::vector<std::string> words;
    for (const std::string& part : split(record_, ',')) words.emplace_back(trim(part));
    set_recorded(options, words);
    options.memory = options.memory || view_.draws_memory();
    options.passes = passes_;
    return options;
  }

  int profile_cases(const Context& context, ProfileStore& store, const PreparedRun& prepared,
                    const ProfileOptions& options, const RunnerOptions& asking,
                    const std::vector<ProfileSummary>& earlier) const {
    std::vector<CaseRecord> planned_records;
    for (const PlannedCase& planned : prepared.cases) planned_records.push_back(planned.record);
    const std::vector<std::string> axes = varying_settings(planned_records);
    std::vector<ProfileRecord> records;
    std::optional<Error> unwritten;
    bool is_stopped = false;
    // What could not be stored or written decides the exit code, after all else has been told.
    const auto try_to = [&](const auto& write) {
      try {
        write();
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInterrupted) {
          is_stopped = true;
          return;
        }
        if (unwritten) context.log(LogLevel::kWarning, unwritten->what());
        unwritten = error;
      }
    };
    const ProfileFiles all = view_.files(trace_);
    for (const PlannedCase& planned : prepared.cases) {
      const std::string label = long_label(planned.record, axes);
      const ProfileFiles places = prepared.cases.size() == 1 ? all : all.of_case(planned.record.id);
      context.log(LogLevel::kInfo, fmt::format("profiling {} {}", planned.record.id, label));
      StatusLine line(stderr);
      const auto show = [&](const Profiling& progress) { line.draw(progress_text(planned.record.id, progress)); };
      records.push_back(profile_planned(context, prepared, planned, {options, asking, places.trace, label, show}));
      line.clear();
      const ProfileRecord& record = records.back();
      is_stopped = record.status == Status::kInterrupted;
      if (!is_stopped) try_to([&] { store.keep(record); });  // before a reader of the output can end the program
      if (format_ == "table") {
        write_standard_output((records.size() > 1 ? "\n" : "") + profile_text(record, view_.table_options()));
      }
      if (!is_stopped) try_to([&] { write_files(context, record, places, *asking.interrupt); });
      if (is_stopped) break;
    }
    write_standard_output(format_ == "table" ? comparisons(records, earlier)
                                             : profiles_text(records, format_, view_.table_options()));
    // A profile that was stopped must not take the place of an earlier one.
    const bool has_profile = std::any_of(records.begin(), records.end(),
                                         [](const ProfileRecord& record) { return record.profile.has_value(); });
    if (has_profile || records.back().status != Status::kInterrupted) try_to([&] { view_.write_tables(records); });
    if (!is_stopped && unwritten) throw *unwritten;
    if (unwritten) context.log(LogLevel::kWarning, unwritten->what());
    return is_stopped ? kExitInterrupted : exit_code_of(records);
  }

  static int exit_code_of(const std::vector<ProfileRecord>& records) {
    std::vector<Status> statuses;
    for (const ProfileRecord& record : records) statuses.push_back(record.status);
    return exit_code(statuses, false);
  }

  static std::string progress_text(const std::string& id, const Profiling& progress) {
    const std::string passes = fmt::format("{}: {} passes", id, progress.passes);
    return progress.total > 0 ? fmt::format("{} of {}, with the profiler and without", passes, progress.total) : passes;
  }

  static void write_files(const Context& context, const ProfileRecord& record, const ProfileFiles& places,
                          const std::atomic<bool>& interrupt) {
    if (record.profile && !record.profile->memory && !places.memory_plot.empty()) {
      context.log(LogLevel::kWarning, fmt::format("no {}: the worker does not record memory over time; build it with "
                                                  "this version",
                                                  places.memory_plot.string()));
    }
    ProfileView::write_files(record, places, interrupt);
  }

  // What --against names; nothing without it.
  std::vector<ProfileSummary> asked_profiles(const std::string& store, const Log& log) const {
    if (against_.empty()) return {};
    if (format_ != "table") {
      throw Error(ErrorKind::kBadInput, fmt::format("--against applies to format table, not to {}", format_));
    }
    return earlier_profiles(against_, store, log);
  }

  // With the first profile of the same work, among earlier ones or else among these; of earlier ones with the one of
  // the same label, where there is one.
  std::string comparisons(const std::vector<ProfileRecord>& records, const std::vector<ProfileSummary>& earlier) const {
    std::vector<ProfileSummary> bases = earlier;
    std::string text;
    for (const ProfileRecord& record : records) {
      if (!record.profile) continue;
      ProfileSummary now = profile_summary(record.label, record.requested, *record.profile);
      if (const ProfileSummary* base = base_of(now, bases)) {
        text += "\n";
        text += comparison_text(*base, now, view_.table_options().rows);
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

  bool has_offline_ = false;
  ProfileView view_;
  std::string against_, trace_, format_;
  std::string record_ = "work";
  std::optional<std::int64_t> passes_;
};

}  // namespace

std::unique_ptr<Command> make_profile_command() {
  return std::make_unique<ProfileCommand>();
}

}  // namespace transformeter
