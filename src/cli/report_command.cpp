// `transformeter report`: a run as a Markdown file.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/standard_output.h"
#include "report/markdown.h"
#include "store/store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter report -o report.md
      the latest run in transformeter.db
  transformeter report nightly --store results.db -o nightly.md

An existing file is replaced at once, when the new one is complete.)";

class ReportCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("report", "write a Markdown report of a run");
    app->add_option("run", run_, "id, beginning of an id, or name; default: the latest run")->option_text("RUN");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    CLI::Option* output = app->add_option("-o,--output", output_, "the file to write; its name ends in .md");
    describe_values(*output->required(), "FILE.md");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    const std::filesystem::path file(output_);
    if (file.extension() != ".md") {
      throw bad_value("output", output_, "a file name that ends in .md", "Reports are Markdown.");
    }
    const RunRecord record = open_store(store_, StoreMode::kRead, context.log)->load_run(run_, true);
    write_file_atomically(file, run_markdown(analyze_run(record), store_));
    write_standard_output(fmt::format("report of run {} in {}\n", record.id, output_));
    return kExitOk;
  }

 private:
  std::string run_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace transformeter
