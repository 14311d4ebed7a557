// `transformeter baseline`: names for what later runs are compared with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/case_pairs.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/run_part.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "report/json_text.h"
#include "schema/status.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kActions{"set", "list", "show", "remove"};
const std::vector<std::string> kFormats{"table", "json"};

constexpr UsageExample kExamples[] = {
    {"transformeter baseline set main", "the latest run"},
    {"transformeter baseline set main nightly:engine=fast", "some cases of the latest run of that name"},
    {"transformeter compare main pr --fail-if 'latency > +3%'", "`main` is now what it was set to"},
    {"transformeter baseline list --format json"},
    {"transformeter baseline remove main"},
};
constexpr const char* kNotes[] = {
    "A baseline stays with the run that it was set to, whatever is measured later, until it is set again. It is kept "
    "in the store's file, and is no part of an export or a merge. A run that gets its name later is meant by its id.",
};

class BaselineCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "baseline",
            .task = CommandTask::kResults,
            .summary = "name what later runs are compared with",
            .options = {{.names = {"action"},
                         .target = &action_,
                         .placeholder = "set|list|show|remove",
                         .help = "what to do",
                         .words = kActions,
                         .is_required = true},
                        {.names = {"name"},
                         .target = &name_,
                         .placeholder = "NAME",
                         .help = "name of the baseline; not for list"},
                        {.names = {"part"},
                         .target = &part_,
                         .placeholder = "RUN",
                         .help = "set: a run, or RUN:SETTING=VALUE,... for some of its cases; default: the latest"},
                        store_option(store_),
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    check_format(format_, kFormats);
    if (std::find(kActions.begin(), kActions.end(), action_) == kActions.end()) {
      throw unknown_value("action", action_, kActions);
    }
    if (action_ == "list" && !name_.empty()) throw refused_value("name", name_, "list takes none");
    if (action_ != "list" && trim(name_).empty()) throw bad_value("name", name_, "the name of a baseline");
    if (action_ != "set" && !part_.empty()) throw refused_value("run", part_, fmt::format("{} takes none", action_));
    const std::unique_ptr<Store> store =
        open_store(store_, StoreMode::kRead, context.log);  // a missing one is an error
    if (action_ == "set") return set(context, *store);
    if (action_ == "remove") return remove(context);
    std::vector<BaselineRecord> records = open_baseline_store(store_, StoreMode::kRead, context.log)->list();
    if (action_ == "show") records = {known(records)};
    write_standard_output(format_ == "json" ? json_text(json_of(records)) : table_of(records));
    return kExitOk;
  }

 private:
  int set(const Context& context, Store& store) {
    for (const RunRecord& run : store.list_runs()) {
      if (run.name == name_ || run.id.starts_with(name_)) {
        throw refused_value("name", name_, fmt::format("it means run {} already", run.id), "Choose another name.");
      }
    }
    if (name_.find_first_of(":=,") != std::string::npos) {
      throw refused_value("name", name_, "':', '=' and ',' divide what is compared", "Choose another name.");
    }
    const RunPart part = part_named(store, part_);
    const RunRecord run = store.load_run(part.run, false);
    std::vector<std::string> where;
    for (const auto& [setting, value] : part.filters) where.push_back(fmt::format("{}={}", setting, value));
    const std::size_t cases = chosen_cases({&run, part_, part.filters}).size();
    const BaselineRecord record{name_, run.id, fmt::format("{}", fmt::join(where, ",")),
                                format_utc(context.clock.wall_s())};
    open_baseline_store(store_, StoreMode::kWrite, context.log)->keep(record);
    write_standard_output(format_ == "json" ? json_text(json_of({record}))
                                            : fmt::format("{}: {} of {}\n", name_, counted(cases, "case"), run.id));
    return kExitOk;
  }

  int remove(const Context& context) {
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kWrite, context.log);
    const BaselineRecord record = known(baselines->list());
    baselines->remove(name_);
    write_standard_output(format_ == "json" ? json_text(json_of({record}))
                                            : fmt::format("removed {}; run {} stays\n", name_, record.run));
    return kExitOk;
  }

  BaselineRecord known(const std::vector<BaselineRecord>& records) const {
    std::vector<std::string> names;
    for (const BaselineRecord& one : records) {
      if (one.name == name_) return one;
      names.push_back(one.name);
    }
    if (names.empty()) {
      throw bad_value("baseline", name_, "one of the store",
                      fmt::format("It has none; `transformeter baseline set {}` names the latest run.", name_));
    }
    throw unknown_value("baseline", name_, names);
  }

  static std::string table_of(const std::vector<BaselineRecord>& records) {
    std::vector<std::vector<std::string>> rows;
    for (const BaselineRecord& one : records) {
      rows.push_back({one.name, one.run, one.where.empty() ? "all" : one.where, one.set_at});
    }
    return text_table({{"name"}, {"run"}, {"cases"}, {"set"}}, rows);
  }

  static Json json_of(const std::vector<BaselineRecord>& records) {
    Json list = Json::array();
    for (const BaselineRecord& one : records) {
      list.push_back({{"name", one.name}, {"run", one.run}, {"where", one.where}, {"set_at", one.set_at}});
    }
    return {{"schema_version", kResultSchemaVersion}, {"baselines", list}};
  }

  std::string action_, name_, part_;
  std::string store_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_baseline_command() {
  return std::make_unique<BaselineCommand>();
}

}  // namespace transformeter
