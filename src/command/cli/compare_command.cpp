// `transformeter compare`: what changed between stored results, and a gate on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_comparison.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "report/display_text.h"
#include "report/json_text.h"
#include "report/markdown_document.h"
#include "report/run_comparison_report.h"
#include "report/text_document.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "markdown", "junit"};
constexpr FileEnding kEndings[] = {{".txt", "table"}, {".json", "json"}, {".md", "markdown"}, {".xml", "junit"}};

constexpr UsageExample kExamples[] = {
    {"transformeter compare monday tuesday", "two runs: each case of tuesday with the same one of monday"},
    {"transformeter compare sweep:engine=pytorch sweep:engine=fast",
     "two selections of one run, which differ in engine"},
    {"transformeter compare baseline nightly --fail-if 'latency.median > +3%' \\\n    --fail-if 'peak_rss > +10%' -o "
     "gate.md",
     "for CI: exit code 0, 1 or 2; a summary for GitHub in the file"},
    {"transformeter compare sweep:precision=fp32 sweep:precision=bf16 --across",
     "precisions are not compared unless asked for"},
};
constexpr const char* kNotes[] = {
    "A run is an id, the start of one, or a name. Settings that are named after it may differ between the sides. "
    "docs/compare.md explains the answers.",
    "Times of different runs are compared over replicates, three or more of each case (run --replicates 3); those of "
    "one run by the pairs of slices that --baseline measured side by side.",
    "--fail-if takes METRIC[.STATISTIC] > or < THRESHOLD: +3% or -0.01 is a change, 20ms or 2GiB a value.",
    "Exit codes: 0 done; with --fail-if 1 a condition is fulfilled or a case that was ok has failed, 2 undecided; 3 "
    "bad "
    "input.",
};

class CompareCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "compare",
            .task = CommandTask::kResults,
            .summary = "compare two stored runs, or parts of one; fail if something became worse",
            .options = {{.names = {"before"},
                         .target = &before_,
                         .placeholder = "BEFORE",
                         .help = "run to compare with, or RUN:SETTING=VALUE,... for some of its cases",
                         .is_required = true},
                        {.names = {"after"},
                         .target = &after_,
                         .placeholder = "AFTER",
                         .help = "run that is compared with it, likewise",
                         .is_required = true},
                        store_option(store_),
                        {.names = {"--fail-if"},
                         .target = &conditions_,
                         .placeholder = "CONDITION",
                         .help = "fail if a case fulfils it, e.g. 'latency.median > +3%'; may be repeated"},
                        {.names = {"--across"},
                         .target = &across_,
                         .help = "show other hosts, precisions and workloads beside each other too"},
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "write to this file too; its ending, .txt, .json, .md or .xml, chooses the format"},
                        asked_format_option(asked_format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    if (asked_format_) check_format(*asked_format_, kFormats);
    const std::string printed = asked_format_.value_or(kFormats.front());
    const std::string written = output_.empty() ? "" : format_of_file(output_, kEndings);
    std::vector<Gate> gates;
    for (const std::string& condition : conditions_) gates.push_back(gate_of(condition));
    if (gates.empty() && (printed == "junit" || written == "junit")) {
      throw Error(ErrorKind::kBadInput, "format junit needs --fail-if: its test cases are the conditions");
    }
    check_is_not_store(output_, store_);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const Side before = side_of(*store, before_);
    const Side after = side_of(*store, after_);
    const RunRecord first = load_analyzed_run(*store, before.run);
    const RunRecord second = load_analyzed_run(*store, after.run);
    const RunComparison comparison =
        compare_runs({&first, before_, before.filters}, {&second, after_, after.filters}, std::move(gates));
    check_is_alike(comparison);
    if (!output_.empty()) write_file_atomically(output_, text_of(comparison, written, {}));
    write_standard_output(text_of(comparison, printed, terminal_at(stdout)));
    return exit_code_of(comparison);
  }

 private:
  // The place is shown above the message, which is one line.
  static Gate gate_of(const std::string& condition) {
    try {
      return parse_gate(condition);
    } catch (const GateFault& fault) {
      std::fputs(fmt::format("  {}\n  {}\n", one_line(condition), fault.marked).c_str(), stderr);
      throw Error(fault.kind(), fmt::format("--fail-if: {}", fault.what()));
    }
  }

  struct Side {
    std::string run;
    std::vector<SettingFilter> filters;
  };

  // Names may hold anything: what is a run's name as a whole has no filters, else these begin with the last colon
  // before a '='.
  static Side side_of(Store& store, const std::string& text) {
    for (const RunRecord& run : store.list_runs()) {
      if (run.name == text) return {text, {}};
    }
    const std::size_t equals = text.find('=');
    const std::size_t colon = equals == std::string::npos ? equals : text.rfind(':', equals);
    if (colon == std::string::npos) return {text, {}};
    return {text.substr(0, colon), parse_filters("run", std::string_view(text).substr(colon + 1))};
  }

  void check_is_alike(const RunComparison& comparison) const {
    if (across_ || comparison.crossed.empty()) return;
    throw Error(ErrorKind::kBadInput, fmt::format("'{}' and '{}' are not alike: {}; --across shows both all the same",
                                                  before_, after_, fmt::join(comparison.crossed, ", ")));
  }

  static std::string text_of(const RunComparison& comparison, const std::string& format, const Terminal& terminal) {
    if (format == "json") return json_text(run_comparison_json(comparison));
    if (format == "junit") return run_comparison_junit(comparison);
    const Document document = run_comparison_document(comparison);
    return format == "markdown" ? markdown_document(document)
                                : text_document(document, {terminal.has_colour, width_limit(terminal)});
  }

  static int exit_code_of(const RunComparison& comparison) {
    switch (comparison.gate_answer()) {
      case GateAnswer::kFail:
        return kExitFault;
      case GateAnswer::kUndecided:
        return kExitUndecided;
      case GateAnswer::kPass:
        break;
    }
    return kExitOk;
  }

  std::string before_, after_;
  std::string store_;
  std::vector<std::string> conditions_;
  bool across_ = false;
  std::string output_;
  std::optional<std::string> asked_format_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace transformeter
