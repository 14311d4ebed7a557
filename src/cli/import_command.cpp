// `transformeter import`: exported runs into a store.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/joining.h"
#include "cli/option_values.h"
#include "cli/standard_output.h"
#include "store/import_jsonl.h"
#include "store/store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter import results.jsonl
      into transformeter.db, which is made where it is missing
  transformeter import laptop.jsonl server.jsonl --store all.db
  xzcat results.jsonl.xz | transformeter import -

All lines of all files are taken in, or none. Importing a file again changes nothing. A replicate that the store holds
with another content is an error; --keep-first keeps what is there. `transformeter export` writes such files.)";

class ImportCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("import", "take exported runs into a store");
    describe_values(
        *app->add_option("files", files_, "files of `transformeter export`; -: the standard input")->required(),
        "FILE...");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    app->add_flag("--keep-first", join_.keep_first, "keep what is there where a file holds something else");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    const RunSource source = import_source(files_);  // before a store is made for nothing
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kWrite, context.log);
    const JoinOutcome outcome = store->join(stoppable(source, interrupt), join_);
    keep_summaries_or_warn(*store, context.log);
    write_standard_output(join_text(outcome, store_));
    return kExitOk;
  }

 private:
  std::vector<std::filesystem::path> files_;
  std::string store_ = std::string(setting_term("store").initial);
  JoinOptions join_;
};

}  // namespace

std::unique_ptr<Command> make_import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace transformeter
