// `transformeter import`: reads exported runs into a store.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/joining.h"
#include "cli/standard_output.h"
#include "schema/status.h"
#include "store/import_jsonl.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter import results.jsonl", "into transformeter.db, created if missing"},
    {"transformeter import laptop.jsonl server.jsonl --store all.db"},
    {"xzcat results.jsonl.xz | transformeter import -"},
};
constexpr const char* kNotes[] = {
    "Either all files are imported or none. Importing a file twice changes nothing. A replicate that the store already "
    "holds with different content is an error; --keep-first keeps the stored one. `transformeter export` writes such "
    "files.",
};

class ImportCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "import",
            .task = CommandTask::kResults,
            .summary = "import exported runs into a store",
            .options = {{.names = {"files"},
                         .target = &files_,
                         .placeholder = "FILE...",
                         .help = "files written by `transformeter export`; - for standard input",
                         .is_required = true},
                        store_option(store_),
                        {.names = {"--keep-first"},
                         .target = &join_.keep_first,
                         .help = "where a file differs from the store, keep the stored replicate"}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    const RunSource source = import_source({files_.begin(), files_.end()});  // before a store is created for nothing
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kWrite, context.log);
    const JoinOutcome outcome = store->join(stoppable(source, interrupt), join_);
    keep_summaries_or_warn(*store, context.log);
    write_standard_output(join_text(outcome, store_));
    return kExitOk;
  }

 private:
  std::vector<std::string> files_;
  std::string store_;
  JoinOptions join_;
};

}  // namespace

std::unique_ptr<Command> make_import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace transformeter
