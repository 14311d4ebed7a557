// `transformeter export`: runs out of a store, as files.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/joining.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "report/csv_export.h"
#include "store/export_jsonl.h"
#include "store/store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"jsonl", "csv"};

constexpr const char* kExamples = R"(Examples:
  transformeter export -o results.jsonl
      every run of transformeter.db with every sample, to be taken in by `transformeter import`
  transformeter export nightly 20261121 --store results.db -o two.jsonl
  transformeter export --format csv -o results
      the files cases.csv, samples.csv and environment.csv in the folder results
  transformeter export -o - | xz > results.jsonl.xz

An existing file is replaced at once, when the new one is complete. docs/results.md describes the files.)";

class ExportCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("export", "write runs of a store to files that hold everything");
    app->add_option("runs", runs_, "ids, beginnings of ids, or names; default: every run")->option_text("RUN...");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    add_format_option(*app, format_, kFormats);
    CLI::Option* output =
        app->add_option("-o,--output", output_, "the file to write, - for standard output; with csv a folder");
    describe_values(*output->required(), "PATH");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    check_output();
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    if (format_ == "jsonl" && (output_ == "-" || is_standard_output(output_))) {
      export_jsonl(*store, runs_, [&](std::string_view text) {
        check_interrupt(interrupt);
        write_standard_output(text);
      });
      return kExitOk;
    }
    const ExportCount count = format_ == "csv" ? export_csv(*store, runs_, output_, [&] { check_interrupt(interrupt); })
                                               : export_file(*store, interrupt);
    write_standard_output(fmt::format("exported {}, {} and {} to {}\n", counted(count.runs, "run"),
                                      counted(count.cases, "case"), counted(count.replicates, "replicate"), output_));
    return kExitOk;
  }

 private:
  void check_output() const {
    if (format_ == "jsonl") return check_is_not_store(output_, store_);
    if (output_ == "-") {
      throw bad_value("output", output_, "with csv it is a folder, for three files",
                      "`show --format csv` writes the metrics to standard output; for a folder of that name: ./-");
    }
    for (const char* name : kCsvFiles) check_is_not_store(std::filesystem::path(output_) / name, store_);
  }

  ExportCount export_file(Store& store, const std::atomic<bool>& interrupt) const {
    AtomicFile file(output_);
    const ExportCount count = export_jsonl(store, runs_, [&](std::string_view text) {
      check_interrupt(interrupt);
      file.write(text);
    });
    file.commit();
    return count;
  }

  std::vector<std::string> runs_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string format_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace transformeter
