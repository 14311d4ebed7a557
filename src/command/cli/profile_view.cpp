// The options have no group: each command sets its own.
#include "cli/profile_view.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"

namespace transformeter {
namespace {

constexpr FileEnding kTableEndings[] = {{".txt", "table"}, {".json", "json"}, {".csv", "csv"}};
constexpr std::int64_t kMostRows = 10'000;

void check_row_count(const char* what, const std::optional<std::int64_t>& value) {
  if (!value || (*value >= 1 && *value <= kMostRows)) return;
  throw bad_value(what, std::to_string(*value), fmt::format("a whole number from 1 to {}", kMostRows));
}

}  // namespace

std::vector<OptionDeclaration> ProfileView::options(const char* memory_plot_help) {
  return {{.names = {"-o", "--output"},
           .target = &tables_,
           .placeholder = "FILE",
           .help = "file of the tables, beside what is printed; its ending, .txt, .json or .csv, chooses the format"},
          {.names = {"--flame-graph"},
           .target = &flame_graph_,
           .placeholder = "FILE.svg",
           .help = "interactive flame graph, a single file for the browser; of several cases FILE-c01.svg, ..."},
          {.names = {"--stacks"},
           .target = &stacks_,
           .placeholder = "FILE",
           .help = "collapsed stacks with nanoseconds, for flamegraph.pl and speedscope"},
          {.names = {"--memory-plot"},
           .target = &memory_plot_,
           .placeholder = "FILE.svg",
           .help = fmt::format("memory over time with its peak, also .png or .pdf; {}", memory_plot_help)},
          {.names = {"--depth"},
           .target = &depth_,
           .placeholder = "N",
           .help = "table: parts of a module's name to show; default: one row per layer"},
          {.names = {"--top"},
           .target = &top_,
           .placeholder = "N",
           .help = "table: rows of operators, and of modules over all layers",
           .initial = "15"}};
}

void ProfileView::check() const {
  check_row_count("depth", depth_);
  check_row_count("top", top_);
  if (!tables_.empty()) format_of_file(tables_, kTableEndings);
}

ProfileFiles ProfileView::files(const std::filesystem::path& trace) const {
  return {tables_, trace, stacks_, flame_graph_, memory_plot_};
}

ProfileTableOptions ProfileView::table_options() const {
  ProfileTableOptions options;
  if (top_) options.rows = static_cast<std::size_t>(*top_);
  if (depth_) options.depth = static_cast<std::size_t>(*depth_);
  return options;
}

std::string ProfileView::first_given() const {
  if (!tables_.empty()) return "--output";
  if (std::string picture = picture_given(); !picture.empty()) return picture;
  if (depth_) return "--depth";
  return top_ ? "--top" : "";
}

std::string ProfileView::picture_given() const {
  if (!flame_graph_.empty()) return "--flame-graph";
  if (!stacks_.empty()) return "--stacks";
  return memory_plot_.empty() ? "" : "--memory-plot";
}

void ProfileView::write_tables(const std::vector<ProfileRecord>& records) const {
  if (tables_.empty()) return;
  write_file_atomically(tables_, profiles_text(records, format_of_file(tables_, kTableEndings), table_options()));
}

void ProfileView::write_files(const ProfileRecord& record, const ProfileFiles& places,
                              const std::atomic<bool>& interrupt) {
  if (!record.profile) return;
  ToolOptions drawing;
  drawing.while_waiting = [&] { check_interrupt(interrupt); };
  write_profile_files(places, *record.profile, record.label, drawing);
}

}  // namespace transformeter
