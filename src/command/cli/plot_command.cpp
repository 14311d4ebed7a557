// `transformeter plot`: a metric of stored runs against a setting, as an SVG, PNG or PDF file.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/baseline_option.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "plots/metric_picture.h"
#include "plots/picture_file.h"
#include "plots/pictures.h"
#include "schema/metric_names.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter plot --x batch_size --y throughput_samples --by model \\\n    -o plot.svg",
     "the latest run: a line for each model, with intervals"},
    {"transformeter plot nightly --y latency:p99,peak_rss -o tail.pdf \\\n    --where precision=fp32",
     "two panels of one precision along what was swept"},
    {"transformeter plot nightly --picture six-panel -o overview.png", "a ready picture; `plot --list` names them"},
    {"transformeter plot monday tuesday --x run --y latency -o week.png \\\n    --by batch_size",
     "what changed between two runs"},
};
constexpr const char* kNotes[] = {
    "Needs gnuplot (Debian package gnuplot-nox). Hollow marks are doubtful cases; invalid ones are left out and "
    "counted. An existing file is replaced only once the new one is complete. docs/reports.md describes plots.",
};

const std::vector<std::string> kLogAxes{"x", "y", "xy"};
const std::vector<std::string> kNameStyles{"short", "full"};

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (const MetricTerm& term : metric_terms()) words.emplace_back(term.name);
  for (const MetricTerm& term : comparison_terms()) words.emplace_back(term.name);
  return words;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names{kRunSetting};
  for (const SettingTerm& term : setting_terms()) {
    if (term.group != SettingGroup::kRun) names.emplace_back(term.name);
  }
  return names;
}

std::vector<std::string> picture_names() {
  std::vector<std::string> names;
  for (const PictureType& type : picture_types()) names.emplace_back(type.name);
  return names;
}

std::string picture_list() {
  std::vector<std::vector<std::string>> rows;
  for (const PictureType& type : picture_types()) rows.push_back({type.name, type.shows, type.needs});
  return text_table({{"picture"}, {"shows"}, {"needs"}}, rows);
}

void check_word(const std::string& option, const std::string& value, const std::vector<std::string>& words) {
  if (!value.empty() && std::find(words.begin(), words.end(), value) == words.end()) {
    throw unknown_value(option, value, words);
  }
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& part : split(text, ',')) parts.emplace_back(trim(part));
  return parts;
}

class PlotCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "plot",
            .task = CommandTask::kResults,
            .summary = "draw metrics of runs against settings: SVG, PNG or PDF",
            .options = {{.names = {"run"},
                         .target = &runs_,
                         .placeholder = "RUN...",
                         .help = "run ids, starts of ids, or names; default: the latest run"},
                        store_option(store_),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "file to write; its ending, .svg, .png or .pdf, chooses the format"},
                        {.names = {"--y"},
                         .target = &y_,
                         .placeholder = "METRIC[:STATISTIC],...",
                         .help = "metrics to draw, a panel each, e.g. latency or latency:p99",
                         .words = metric_words(),
                         .is_list = true},
                        {.names = {"--x"},
                         .target = &x_,
                         .placeholder = "SETTING",
                         .help = "setting along the horizontal axis, or run; default: the one that was swept",
                         .words = setting_names()},
                        {.names = {"--by"},
                         .target = &by_,
                         .placeholder = "SETTING,...",
                         .help = "settings that make a line each; default: all that tell the cases apart",
                         .words = setting_names(),
                         .is_list = true},
                        {.names = {"--where"},
                         .target = &where_,
                         .placeholder = "SETTING=VALUE,...",
                         .help = "draw only cases with these values, e.g. precision=fp32"},
                        {.names = {"--log"},
                         .target = &log_,
                         .placeholder = "x|y|xy",
                         .help = "axes to make logarithmic, the others linear; default: as fits the values",
                         .words = kLogAxes,
                         .has_only_words = true,
                         .excludes = "--linear"},
                        {.names = {"--linear"}, .target = &linear_, .help = "make both axes linear"},
                        {.names = {"--title"},
                         .target = &title_,
                         .placeholder = "TEXT",
                         .help = "title; default: what is drawn"},
                        {.names = {"--names"},
                         .target = &names_,
                         .placeholder = "short|full",
                         .help = "models by the last part of their name or by all of it",
                         .initial = "short",
                         .words = kNameStyles,
                         .has_only_words = true},
                        baseline_option(baseline_text_),
                        {.names = {"--picture"},
                         .target = &picture_,
                         .placeholder = "NAME",
                         .help = "draw a ready picture in place of --y, e.g. six-panel; --list describes them",
                         .words = picture_names(),
                         .excludes = "--y"},
                        {.names = {"--list"}, .target = &list_, .help = "list the ready pictures and exit"}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    if (list_) {
      write_standard_output(picture_list());
      return kExitOk;
    }
    check_options();
    ToolOptions options;
    const PlotFormat format = format_of_plot("output", output_);
    options.while_waiting = [&] { check_interrupt(interrupt); };
    check_word("--log", log_, kLogAxes);
    check_word("--names", names_, kNameStyles);
    check_is_not_store(output_, store_);
    const std::optional<Json> baseline = asked_baseline(baseline_text_);
    const std::vector<SettingFilter> filters = parse_filters("--where", where_);
    const PictureType* type = picture_.empty() ? nullptr : &picture_type(picture_);
    const std::vector<RunRecord> records = load(context, type != nullptr && type->needs_samples);
    std::vector<AnalyzedRun> runs;
    for (const RunRecord& record : records) {
      check_interrupt(interrupt);
      check_baseline_of(record, baseline);
      runs.push_back(analyze_run(record, baseline));
    }
    const PlotCases cases = plot_cases(runs, filters, names_ == "full" ? NameStyle::kFull : NameStyle::kShort);
    Picture picture = picture_.empty() ? metric_picture(cases, request()) : ready_picture(*type, cases);
    if (!title_.empty()) picture.title = title_;
    const std::string content = picture_file(picture, format, options);
    check_interrupt(interrupt);
    write_file_atomically(output_, content);
    write_standard_output(fmt::format("plot of run{} {} in {}\n", cases.runs.size() == 1 ? "" : "s",
                                      fmt::join(cases.runs, ", "), output_));
    return kExitOk;
  }

 private:
  // What a ready picture decides itself is refused beside it.
  void check_options() const {
    if (output_.empty())
      throw Error(ErrorKind::kBadInput, "--output is required: a file that ends in .svg, .png or .pdf");
    if (picture_.empty() && y_.empty()) {
      throw Error(ErrorKind::kBadInput, "nothing to draw: name a metric with --y, or a picture with --picture");
    }
    if (picture_.empty()) return;
    const std::vector<std::pair<std::string, bool>> others{
        {"--x", !x_.empty()}, {"--by", !by_.empty()}, {"--log", !log_.empty()}, {"--linear", linear_}};
    for (const auto& [option, is_given] : others) {
      if (is_given) {
        throw Error(ErrorKind::kBadInput,
                    fmt::format("cannot combine {} with --picture {}: the picture chooses its axes", option, picture_));
      }
    }
  }

  // Each run once, in the order given.
  std::vector<RunRecord> load(const Context& context, bool with_samples) const {
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    std::vector<RunRecord> records;
    for (const std::string& selector : selected_runs(*store, runs_)) {
      RunRecord record = with_samples ? store->load_run(selector, true) : load_analyzed_run(*store, selector);
      // A summary has the headlines; what is drawn of samples shows percentiles too.
      if (with_samples) {
        for (CaseRecord& one : record.cases) one.summary.reset();
      }
      records.push_back(std::move(record));
    }
    return records;
  }

  MetricRequest request() const {
    MetricRequest request;
    request.x = x_;
    request.metrics = listed(y_);
    if (!by_.empty()) request.by = listed(by_);
    if (linear_ || !log_.empty()) {
      request.scales.x = log_.find('x') != std::string::npos;
      request.scales.y = log_.find('y') != std::string::npos;
    }
    return request;
  }

  std::vector<std::string> runs_;
  std::string store_;
  std::string output_;
  std::string x_;
  std::string y_;
  std::string by_;
  std::string where_;
  std::string log_;
  bool linear_ = false;
  std::string title_;
  std::string names_;
  std::string baseline_text_;
  std::string picture_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> make_plot_command() {
  return std::make_unique<PlotCommand>();
}

}  // namespace transformeter
