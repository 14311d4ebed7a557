// `transformeter doctor`: what can be measured here, what cannot, and how to fix it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/products_table.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "doctor/check.h"
#include "doctor/gpu.h"
#include "doctor/machine.h"
#include "doctor/products.h"
#include "doctor/self_test.h"
#include "doctor/software.h"
#include "machine/environment.h"
#include "machine/gpu_report.h"
#include "report/display_text.h"
#include "schema/status.h"

namespace transformeter {
namespace {

constexpr std::size_t kLevelWidth = 9;  // of "limited" and "problem" with two blanks
constexpr std::size_t kNarrowest = 30;  // of the text, however small the window
constexpr std::size_t kPlainWidth = 120;

std::string coloured(CheckLevel level, bool has_colour) {
  std::string padded = fmt::format("{:<{}}", name_of(level), kLevelWidth);
  if (!has_colour || level == CheckLevel::kOk) return padded;
  return fmt::format("\x1b[{}m{}\x1b[0m", level == CheckLevel::kProblem ? 31 : 33, padded);
}

// A line for each, and for those that are not ok why it matters and what to do, below it; fitted to the terminal on
// stdout.
std::string table_of(const Checks& checks) {
  const Terminal terminal = terminal_at(stdout);
  std::size_t what_width = 0;
  for (const Check& one : checks) what_width = std::max(what_width, display_width(one.what));
  const std::size_t indent = kLevelWidth + what_width + 2;
  const std::size_t total = terminal.is_terminal ? terminal.width : kPlainWidth;
  const std::size_t width = std::max(indent + kNarrowest, total);
  const std::size_t deeper = indent + 5;
  std::string text;
  for (const Check& one : checks) {
    text += coloured(one.level, terminal.has_colour);
    text += fmt::format("{:<{}}{}\n", one.what, what_width + 2, wrapped(one.state, width, indent, indent));
    if (one.level == CheckLevel::kOk) continue;
    text += fmt::format("{:{}}why: {}\n", "", indent, wrapped(one.why, width, deeper, deeper));
    if (!one.advice.empty())
      text += fmt::format("{:{}}do:  {}\n", "", indent, wrapped(one.advice, width, deeper, deeper));
  }
  return text;
}

std::size_t products_width() {
  return std::min(width_limit(terminal_at(stdout)).value_or(kProductsWidth), kProductsWidth);
}

// "21 ok, 4 limited, 0 problems: measuring is possible."
std::string summary_of(const Checks& findings, const Checks& tests) {
  const auto count = [&](CheckLevel level) {
    const auto has_level = [level](const Check& one) { return one.level == level; };
    return std::count_if(findings.begin(), findings.end(), has_level) +
           std::count_if(tests.begin(), tests.end(), has_level);
  };
  const char* verdict = "measuring is possible";
  if (worst_level(tests) == CheckLevel::kProblem) verdict = "the self-test failed";
  if (worst_level(findings) == CheckLevel::kProblem)
    verdict = "fix the problems first; nothing can be measured until then";
  return fmt::format("{} ok, {} limited, {}: {}.\n", count(CheckLevel::kOk), count(CheckLevel::kLimited),
                     counted(static_cast<std::size_t>(count(CheckLevel::kProblem)), "problem"), verdict);
}

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "json"};
constexpr Seconds kWatched{1};

constexpr UsageExample kExamples[] = {
    {"transformeter doctor", "find what limits good measurements on this machine"},
    {"transformeter doctor --self-test", "also measure the harness's overhead and check known answers"},
    {"transformeter doctor --products", "which kernel engine fast takes for each size of matrix product, and why"},
    {"transformeter doctor --format json |\n    jq '.findings[] | select(.level != \"ok\")'"},
};
constexpr const char* kNotes[] = {
    "Levels: ok; limited: measuring works, but some metrics are missing or noisier than need be; problem: nothing can "
    "be measured until it is fixed. It watches for one second how quiet the machine is, so stop other work first.",
    "Exit codes: 0 measuring is possible, 3 it is not, 1 the self-test failed, 130 interrupted.",
};

Json environment_of(const Context& context) {
  EnvironmentOptions options;
  options.program_version = std::string(program_version());
  options.git_commit = std::string(git_commit());
  return capture_environment(options, context.clock);
}

Checks findings_of(const Context& context, const Json& environment, const std::string& worker,
                   const std::atomic<bool>& interrupt) {
  std::error_code code;
  const char* search_path = std::getenv("PATH");
  Checks all = check_environment(environment);
  const auto add = [&](Checks more) { std::move(more.begin(), more.end(), std::back_inserter(all)); };
  add(check_noise(watch_quiet(context.clock, kWatched)));
  KernelPerfEvents events;
  add(check_counters(probe_perf_events(events), find_energy_domains()));
  add(check_gpus(look_at_gpus(), ::getpid()));
  fs::path temporary = fs::temp_directory_path(code);
  if (code) temporary = "/tmp";
  add(check_folders(temporary, fs::current_path(code), context.cache_directory));
  add(check_worker(context, worker, interrupt));
  add(check_launch(read_launch_host()));
  add(check_libraries(search_path == nullptr ? "" : search_path));
  return all;
}

class DoctorCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "doctor",
            .task = CommandTask::kMachine,
            .summary = "check what this machine can measure, and how to fix what it cannot",
            .options = {{.names = {"--self-test"},
                         .target = &self_test_,
                         .help = "also measure the harness itself and check known answers"},
                        {.names = {"--products"},
                         .target = &products_,
                         .help = "also list the matrix products that engine fast tried here, with each kernel's time"},
                        worker_option(worker_),
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    const Json environment = environment_of(context);
    const std::vector<ProductChoice> products =
        latest_products(read_kept_products(context.cache_directory, environment.at("fingerprint").get<std::string>()));
    Checks findings = findings_of(context, environment, worker_, interrupt);
    findings.push_back(check_products(products));
    Checks tests;
    if (self_test_) tests = self_test(context, worker_, interrupt);
    write_standard_output(format_ == "json" ? json_text(findings, tests, products)
                                            : table_text(findings, tests, products));
    if (worst_level(findings) == CheckLevel::kProblem) return kExitBadInput;
    return worst_level(tests) == CheckLevel::kProblem ? kExitFault : kExitOk;
  }

 private:
  std::string json_text(const Checks& findings, const Checks& tests, const std::vector<ProductChoice>& products) const {
    Json json = {{"level", name_of(worst_level(findings))}, {"findings", to_json(findings)}};
    if (products_) json["products"] = products;
    json["self_test"] = self_test_ ? to_json(tests) : Json(nullptr);
    return json.dump(2) + "\n";
  }

  std::string table_text(const Checks& findings, const Checks& tests,
                         const std::vector<ProductChoice>& products) const {
    std::string text = table_of(findings);
    if (products_) text += "\nMatrix products\n" + products_table(products, products_width());
    if (self_test_) text += "\nSelf-test\n" + table_of(tests);
    return text + "\n" + summary_of(findings, tests);
  }

  bool self_test_ = false;
  bool products_ = false;
  std::string worker_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() {
  return std::make_unique<DoctorCommand>();
}

}  // namespace transformeter
