// `transformeter export`: runs of a store, written to files.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/joining.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "report/csv_export.h"
#include "schema/status.h"
#include "store/export_jsonl.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"jsonl", "csv"};

constexpr UsageExample kExamples[] = {
    {"transformeter export -o results.jsonl",
     "every run in transformeter.db with every sample, for `transformeter import`"},
    {"transformeter export nightly 20261121 --store results.db -o two.jsonl"},
    {"transformeter export --format csv -o results",
     "cases.csv, samples.csv and environment.csv in the folder results"},
    {"transformeter export -o - | xz > results.jsonl.xz"},
};
constexpr const char* kNotes[] = {
    "An existing file is replaced only once the new one is complete. docs/results.md describes the files.",
};

class ExportCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "export",
            .task = CommandTask::kResults,
            .summary = "write runs to files with every sample: JSON Lines or CSV",
            .options = {{.names = {"runs"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: every run"},
                        store_option(store_),
                        format_option(format_, kFormats),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "PATH",
                         .help = "file to write, - for standard output; for csv a folder",
                         .is_required = true}},
            .examples = kExamples,
            .notes = kNotes};
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
      throw refused_value("output", output_, "csv writes three files and needs a folder",
                          "`show --format csv` writes metrics to standard output; for a folder named -: ./-");
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
  std::string store_;
  std::string format_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace transformeter
