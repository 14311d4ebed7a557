// `transformeter merge`: merges several stores into one.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "cli/command.h"
#include "cli/joining.h"
#include "cli/standard_output.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter merge all.db laptop.db server.db", "all.db is created if missing and keeps what it holds"},
    {"transformeter merge all.db results-*.db"},
};
constexpr const char* kNotes[] = {
    "A run that was measured in several stores has all its replicates in OUT. Either everything is merged or nothing, "
    "and merging again changes nothing. Each IN is only read; an IN that is OUT itself is skipped. A replicate with "
    "different content in two stores is an error; --keep-first keeps the one that came first.",
};

// Says what a file is that is not a store: the store's own hint names an option that merge does not have. The file is
// read only after the store refused it, since closing a file drops the locks that this process holds on it.
std::unique_ptr<Store> open_named(const std::string& path, const std::string& out, StoreMode mode, const Log& log) {
  try {
    return open_store(path, mode, log);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput || !std::filesystem::is_regular_file(path)) throw;
    constexpr std::string_view kStoreHead = "SQLite format 3";
    std::string head(kStoreHead.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    if (head.empty() || head == kStoreHead) throw;
    if (!head.starts_with('{')) throw Error(error.kind(), fmt::format("'{}' is not a transformeter store", path));
    const std::string store = path == out ? "all.db" : out;
    throw Error(error.kind(), fmt::format("'{0}' is an export or other JSON, not a store; import exports with "
                                          "`transformeter import {0} --store {1}`",
                                          path, store));
  }
}

class MergeCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "merge",
            .task = CommandTask::kResults,
            .summary = "merge several stores into one",
            .options = {{.names = {"out"},
                         .target = &out_,
                         .placeholder = "OUT",
                         .help = "store to merge into",
                         .is_path = true,
                         .is_required = true},
                        {.names = {"in"},
                         .target = &in_,
                         .placeholder = "IN...",
                         .help = "stores to read",
                         .is_path = true,
                         .is_required = true},
                        {.names = {"--keep-first"},
                         .target = &join_.keep_first,
                         .help = "where stores differ, keep the replicate that came first"}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    std::vector<std::unique_ptr<Store>> sources;  // all are opened before OUT is touched
    for (const std::string& path : in_) {
      std::error_code missing;
      if (std::filesystem::equivalent(path, out_, missing)) continue;
      sources.push_back(open_named(path, out_, StoreMode::kRead, context.log));
    }
    const std::unique_ptr<Store> store = open_named(out_, out_, StoreMode::kWrite, context.log);
    const auto all_runs = [&](const RunVisitor& visitor) {
      RunQuery query;
      query.all = true;
      query.detail = Detail::kSeries;
      for (const auto& source : sources) source->visit(query, visitor);
    };
    const JoinOutcome outcome = store->join(stoppable(all_runs, interrupt), join_);
    keep_summaries_or_warn(*store, context.log);
    write_standard_output(join_text(outcome, out_));
    return kExitOk;
  }

 private:
  std::string out_;
  std::vector<std::string> in_;
  JoinOptions join_;
};

}  // namespace

std::unique_ptr<Command> make_merge_command() {
  return std::make_unique<MergeCommand>();
}

}  // namespace transformeter
