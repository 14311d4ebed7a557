// `transformeter merge`: several stores into one.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "cli/command.h"
#include "cli/joining.h"
#include "cli/option_values.h"
#include "cli/standard_output.h"
#include "store/store.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter merge all.db laptop.db server.db
      all.db is made where it is missing; what it holds stays
  transformeter merge all.db results-*.db

Runs are united: one that was measured in several stores has all its replicates in OUT. All of it is done, or nothing,
and doing it again changes nothing. IN is only read; an IN that is OUT itself is passed over. A replicate that is there
with another content is an error; --keep-first keeps what came first.)";

// Says what a file is that is no store: the store's own advice is about an option that merge does not have. Looked at
// only after the store refused it, since closing a file drops the locks that this process holds on it.
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
    if (!head.starts_with('{')) throw Error(error.kind(), fmt::format("'{}' is no transformeter store", path));
    const std::string store = path == out ? "all.db" : out;
    throw Error(error.kind(), fmt::format("'{0}' is an export or other JSON, not a store; `transformeter import {0} "
                                          "--store {1}` takes exports in",
                                          path, store));
  }
}

class MergeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("merge", "join stores into one");
    describe_values(*app->add_option("out", out_, "the store to join into")->required(), "OUT", {{}, true, false});
    describe_values(*app->add_option("in", in_, "the stores to read")->required(), "IN...", {{}, true, false});
    app->add_flag("--keep-first", join_.keep_first, "keep what is there where an IN holds something else");
    app->footer(kExamples);
    return app;
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
