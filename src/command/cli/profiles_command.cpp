// `transformeter profiles`: lists the profiles that a store holds, and shows one again.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/results.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/profile_view.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "report/csv_fields.h"
#include "report/display_text.h"
#include "report/json_text.h"
#include "schema/record.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/profile_store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "csv"};

constexpr UsageExample kExamples[] = {
    {"transformeter profiles", "every profile in transformeter.db, latest first"},
    {"transformeter profiles latest", "the tables of the last one again"},
    {"transformeter profiles before --flame-graph before.svg --top 30", "the latest of that name, and a picture of it"},
    {"transformeter profiles before --store results.db -o before.json", "as data in a file; also .csv or .txt"},
};
constexpr const char* kNotes[] = {
    "`transformeter profile` makes them, `profile --against PROFILE` compares with one. docs/profile.md explains the "
    "tables; they are computed from what the store holds, so that the options above apply. A trace is not stored.",
};

// A label names the engine only where one command profiled several.
std::string engine_of(const ProfileRecord& record) {
  return setting_text(record.requested.value("engine", Json()));
}

std::string table_of(const std::vector<ProfileRecord>& records) {
  std::vector<std::vector<std::string>> rows;
  for (const ProfileRecord& one : records) {
    rows.push_back(
        {one.id, one.name, one.started_at, one.case_id, one.label, engine_of(one), std::string(name_of(one.status))});
  }
  return text_table({{"profile"}, {"name"}, {"started"}, {"case"}, {"settings"}, {"engine"}, {"status"}}, rows);
}

Json json_of(const std::vector<ProfileRecord>& records) {
  Json list = Json::array();
  for (const ProfileRecord& one : records) {
    list.push_back({{"id", one.id},
                    {"name", text_or_null(one.name)},
                    {"started_at", one.started_at},
                    {"case", one.case_id},
                    {"label", one.label},
                    {"status", name_of(one.status)},
                    {"reason", text_or_null(one.reason)},
                    {"requested", one.requested}});
  }
  return {{"schema_version", kResultSchemaVersion}, {"profiles", std::move(list)}};
}

std::string csv_of(const std::vector<ProfileRecord>& records) {
  std::string text;
  append_line(text, {"id", "name", "started_at", "case", "label", "engine", "status", "reason"}, {});
  for (const ProfileRecord& one : records) {
    append_line(text,
                {one.id, one.name, one.started_at, one.case_id, one.label, engine_of(one),
                 std::string(name_of(one.status)), one.reason},
                {});
  }
  return text;
}

class ProfilesCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    std::vector<OptionDeclaration> options{
        {.names = {"profile"},
         .target = &profile_,
         .placeholder = "PROFILE",
         .help = "id, start of an id, or name of the profile to show, or latest; default: list all"},
        store_option(store_),
        format_option(format_, kFormats)};
    for (OptionDeclaration& option : view_.options("needs a profile with --record memory"))
      options.push_back(std::move(option));
    return {.name = "profiles",
            .task = CommandTask::kResults,
            .summary = "list the profiles in a store, or show one again",
            .options = std::move(options),
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    view_.check();
    const std::string option = view_.first_given();
    if (profile_.empty() && !option.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{0} applies to one profile; name it: `transformeter profiles latest {0} ...`", option));
    }
    const std::unique_ptr<ProfileStore> store = open_profile_store(store_, StoreMode::kRead, context.log);
    if (profile_.empty()) {
      list(context, store->list());
    } else {
      show(store->load(profile_), interrupt);
    }
    return kExitOk;
  }

 private:
  void list(const Context& context, const std::vector<ProfileRecord>& records) const {
    if (records.empty()) {
      context.log(LogLevel::kInfo,
                  fmt::format("no profiles in '{0}'; make one with `transformeter profile --store {0}`", store_));
    }
    write_standard_output(format_ == "json"  ? json_text(json_of(records))
                          : format_ == "csv" ? csv_of(records)
                                             : table_of(records));
  }

  void show(const std::vector<ProfileRecord>& records, const std::atomic<bool>& interrupt) const {
    const bool is_single = records.size() == 1;
    const bool has_profile =
        std::ranges::any_of(records, [](const ProfileRecord& one) { return one.profile.has_value(); });
    if (const std::string picture = view_.picture_given(); !has_profile && !picture.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("profile {} has no case that is ok, so nothing to draw; leave out {}", records.front().id,
                              picture));
    }
    check_profile_files(is_single ? view_.files() : ProfileFiles{.tables = view_.files().tables}, store_);
    for (const ProfileRecord& one : records) {
      if (!is_single) check_profile_files(view_.files().of_case(one.case_id), store_);
      if (!view_.draws_memory() || !one.profile || one.profile->memory) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("profile {} {} holds no memory over time; record it with `transformeter profile --record "
                              "memory`, or leave out --memory-plot",
                              one.id, one.case_id));
    }
    const ProfileRecord& first = records.front();
    std::string text;
    if (format_ == "table") {
      append_line(text, fmt::format("profile {}{}, started {}", first.id,
                                    first.name.empty() ? "" : fmt::format(" ({})", first.name), first.started_at));
    }
    write_standard_output(text + profiles_text(records, format_, view_.table_options()));
    view_.write_tables(records);
    for (const ProfileRecord& one : records) {
      ProfileView::write_files(one, is_single ? view_.files() : view_.files().of_case(one.case_id), interrupt);
    }
  }

  ProfileView view_;
  std::string profile_, store_, format_;
};

}  // namespace

std::unique_ptr<Command> make_profiles_command() {
  return std::make_unique<ProfilesCommand>();
}

}  // namespace transformeter
