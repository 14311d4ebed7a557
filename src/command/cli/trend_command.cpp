// `transformeter trend`: a metric over stored runs, and with which run it changed.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metric_trend.h"
#include "analysis/setting_filter.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/interrupt.h"
#include "cli/plot_output.h"
#include "plots/trend_picture.h"
#include "report/trend_report.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter trend --metric latency.median", "every run in the store, a series for each case"},
    {"transformeter trend --metric throughput_samples \\\n    --group model,precision --where batch_size=8",
     "a series for each model and precision; other settings may change from run to run"},
    {"transformeter trend --metric peak_rss --last 50 --format json"},
    {"transformeter trend --metric latency.median --plot latency.svg", "also as a picture"},
};
constexpr const char* kNotes[] = {
    "Changes are found by E-divisive means (Matteson and James 2014) and tested by shuffling runs. At --level 0.01 a "
    "series needs eleven runs. The machine, programs, settings and texts that differ from the run before are listed.",
};

class TrendCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {
        .name = "trend",
        .task = CommandTask::kResults,
        .summary = "show how a metric went over stored runs, and with which run it changed",
        .options = {{.names = {"run"},
                     .target = &runs_,
                     .placeholder = "RUN...",
                     .help = "run ids, starts of ids, or names, of all their runs; default: every run in the store"},
                    {.names = {"--metric"},
                     .target = &metric_,
                     .placeholder = "METRIC[.STATISTIC]",
                     .help = "what to follow, e.g. latency.median, peak_rss",
                     .initial = metric_},
                    {.names = {"--group"},
                     .target = &group_,
                     .placeholder = "SETTING,...",
                     .help = "settings whose values make a series; default: all of them",
                     .is_list = true},
                    {.names = {"--where"},
                     .target = &where_,
                     .placeholder = "SETTING=VALUE,...",
                     .help = "only cases with these values"},
                    {.names = {"--last"},
                     .target = &last_,
                     .placeholder = "N",
                     .help = "only the latest N runs that have such cases"},
                    {.names = {"--level"},
                     .target = &level_,
                     .placeholder = "P",
                     .help = "largest p value of a change, from 0.001 to below 1",
                     .initial = level_},
                    plot_.option("each series with its levels"),
                    store_option(store_),
                    output_.output_option(),
                    output_.format_option()},
        .examples = kExamples,
        .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    output_.check(store_);
    plot_.check(store_, output_.file());
    TrendReport report;
    report.options.metric = parse_metric_name(metric_);
    report.options.change.level = checked_level();
    if (last_ && *last_ < 1) throw bad_value("last", std::to_string(*last_), "a number of runs, 1 or more");
    for (const std::string& part : split(group_, ',')) {
      const std::string setting(trim(part));
      const std::vector<std::string>& group = report.options.group;
      const bool is_known = std::find(group.begin(), group.end(), setting) != group.end();
      if (!setting.empty() && !is_known) report.options.group.push_back(setting);
    }
    const std::vector<SettingFilter> filters = parse_filters("where", where_);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    std::deque<RunRecord> records;
    for (const std::string& id : selected(*store)) {
      check_interrupt(interrupt);
      if (last_ && records.size() == static_cast<std::size_t>(*last_)) break;
      records.push_back(load_analyzed_run(*store, id));
      std::erase_if(records.back().cases, [&](const CaseRecord& one) { return !has_settings(one, filters); });
      if (records.back().cases.empty()) records.pop_back();
    }
    std::vector<const RunRecord*> runs;
    for (const RunRecord& record : records) runs.push_back(&record);
    report.series = metric_trends(runs, report.options);
    report.run_count = runs.size();
    check_has_points(report);
    output_.write([&] { return trend_document(report); }, [&] { return trend_json(report); });
    plot_.draw([&] { return trend_picture(report); }, interrupt);
    return kExitOk;
  }

 private:
  double checked_level() const {
    constexpr double kSmallest = 1e-3;  // a smaller one would take hundreds of thousands of permutations
    const auto level = parse_number(level_);
    if (!level || !(*level >= kSmallest) || !(*level < 1)) {
      throw bad_value("level", level_, "a number from 0.001 to below 1");
    }
    return *level;
  }

  // By id, the latest first; a name means all runs that have it, and trials are no results.
  std::vector<std::string> selected(Store& store) const {
    const std::vector<RunRecord> all = store.list_runs();
    std::vector<std::string> chosen;
    for (const std::string& selector : runs_) {
      const std::size_t before = chosen.size();
      for (const RunRecord& run : all) {
        if (run.name == selector) chosen.push_back(run.id);
      }
      if (chosen.size() == before) chosen.push_back(store.load_run(selector, false).id);
    }
    std::vector<std::string> ids;
    for (const RunRecord& run : all) {
      const bool is_chosen = runs_.empty() ? run.role == RunRole::kResult
                                           : std::find(chosen.begin(), chosen.end(), run.id) != chosen.end();
      if (is_chosen) ids.push_back(run.id);
    }
    return ids;
  }

  void check_has_points(const TrendReport& report) const {
    if (report.series.empty()) {
      throw Error(ErrorKind::kBadInput,
                  where_.empty() ? "there are no cases" : fmt::format("no case has --where {}", where_));
    }
    const bool has_points = std::any_of(report.series.begin(), report.series.end(),
                                        [](const TrendSeries& series) { return !series.points.empty(); });
    if (!has_points) throw Error(ErrorKind::kBadInput, fmt::format("no case has a value of {}", metric_));
  }

  std::vector<std::string> runs_;
  std::string metric_ = "latency";
  std::string group_;
  std::string where_;
  std::optional<std::int64_t> last_;
  std::string level_ = "0.01";
  std::string store_;
  PlotOutput plot_;
  DocumentOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_trend_command() {
  return std::make_unique<TrendCommand>();
}

}  // namespace transformeter
