// `transformeter cost`: stored results at the price of a machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/case_label.h"
#include "analysis/case_pairs.h"
#include "analysis/cost.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/price_list.h"
#include "cli/run_part.h"
#include "cli/text_table.h"
#include "metrics/case_settings.h"
#include "metrics/case_summary.h"
#include "report/cost_report.h"
#include "report/json_text.h"
#include "schema/status.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json", "markdown", "csv"};
constexpr FileEnding kEndings[] = {{".txt", "table"}, {".json", "json"}, {".md", "markdown"}, {".csv", "csv"}};

constexpr UsageExample kExamples[] = {
    {"transformeter cost --price-per-hour 0.40", "the latest run on a machine of 0.40 USD per hour"},
    {"transformeter cost nightly --machine g5.xlarge --latency-p95 50ms",
     "by a bundled list price; the cheapest case that keeps the limit"},
    {"transformeter cost laptop server --prices prices.yaml \\\n    --machine laptop=dev-box --machine server=c8",
     "two machines, each at its own price from a file"},
    {"transformeter cost encoders --price-per-hour 0.40 --samples 1e6 \\\n    --format markdown",
     "also what a million samples cost, with accuracy and FLOPs beside it"},
    {"transformeter cost --list-prices"},
};
constexpr const char* kNotes[] = {
    "A cost is price times time: per million useful tokens (generate: new tokens), thousand samples, request or "
    "training "
    "step, with the interval of the time. It holds for a machine that is busy all the time.",
    "--prices FILE is YAML or JSON: {prices: [{machine, price_per_hour, currency, source, date}]}; docs/cost.md has "
    "more.",
};

class CostCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "cost",
            .task = CommandTask::kResults,
            .summary = "say what stored cases cost at a machine's price, and which is the cheapest",
            .options = {{.names = {"run"},
                         .target = &parts_,
                         .placeholder = "RUN...",
                         .help = "runs, or RUN:SETTING=VALUE,... for some of their cases; default: the latest"},
                        {.names = {"--price-per-hour"},
                         .target = &price_,
                         .placeholder = "N",
                         .help = "price of the machine; default: that of the run, or --machine"},
                        {.names = {"--currency"},
                         .target = &currency_,
                         .placeholder = "CODE",
                         .help = "of --price-per-hour, e.g. EUR; default: USD"},
                        {.names = {"--machine"},
                         .target = &machines_,
                         .placeholder = "[RUN=]NAME",
                         .help = "a machine of the price list, for all runs or for one; may be repeated"},
                        {.names = {"--prices"},
                         .target = &prices_file_,
                         .placeholder = "FILE",
                         .help = "price list, YAML or JSON; default: the bundled one"},
                        {.names = {"--list-prices"}, .target = &lists_prices_, .help = "print the price list and exit"},
                        {.names = {"--per"},
                         .target = &per_,
                         .placeholder = "UNIT",
                         .help = "unit to rank by; default: the first that all cases have",
                         .words = cost_unit_names(),
                         .has_only_words = true},
                        {.names = {"--latency-p95"},
                         .target = &latency_p95_,
                         .placeholder = "TIME",
                         .help = "choose only cases whose 95th percentile of latency is within it, e.g. 50ms"},
                        {.names = {"--samples"},
                         .target = &samples_,
                         .placeholder = "N",
                         .help = "also the cost of N samples or requests, e.g. 1e6"},
                        store_option(store_),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "FILE",
                         .help = "file to write in place of standard output; .txt, .json, .md or .csv"},
                        asked_format_option(asked_format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    const std::string format = chosen_format(asked_format_, output_, kFormats, kEndings);
    const CostOptions options = cost_options();
    const std::vector<Price> list = read_price_list(prices_file_.empty() ? context.data_directory / "prices.yaml"
                                                                         : std::filesystem::path(prices_file_));
    check_is_not_store(output_, store_);
    if (!output_.empty()) check_output_place("output", output_);
    if (lists_prices_) {
      write_output(output_, format == "json" ? json_text(price_list_json(list)) : price_table(list));
      return kExitOk;
    }
    if (currency_ && !price_)
      throw Error(ErrorKind::kBadInput, "--currency is of --price-per-hour; a price list has its own");
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    load(context, *store, list);
    const CostReport report{used_prices(context.clock.wall_s()), processors(), options, costs_of(cases_, options)};
    write_output(output_, text_of(report, format));
    return kExitOk;
  }

 private:
  CostOptions cost_options() const {
    CostOptions options;
    if (!latency_p95_.empty()) options.latency_p95_s = parse_duration("latency-p95", latency_p95_).count();
    if (!samples_.empty()) options.samples = checked_samples();
    if (!per_.empty()) {
      options.per = cost_unit_named(per_);
      if (!options.per) throw unknown_value("per", per_, cost_unit_names());
    }
    return options;
  }

  double checked_samples() const {
    const auto samples = parse_number(samples_);
    if (!samples || !std::isfinite(*samples) || *samples <= 0)
      throw bad_value("samples", samples_, "a number above 0, e.g. 1e6");
    return *samples;
  }

  // Runs stay where they are, since cases borrow them.
  void load(const Context& context, Store& store, const std::vector<Price>& list) {
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kRead, context.log);
    const std::vector<std::string> names = parts_.empty() ? std::vector<std::string>{""} : parts_;
    check_machines(names);
    struct Chosen {
      const CaseRecord* record;
      std::string run;  // id
      std::string part;
    };
    std::vector<Chosen> chosen;
    std::vector<CaseRecord> kinds;  // as far as labels tell them apart
    for (const std::string& name : names) {
      const RunPart part = part_named(store, *baselines, name);
      const RunRecord& run = runs_.emplace_back(load_analyzed_run(store, part.run));
      for (const CaseRecord* record : chosen_cases({&run, name, part.filters})) {
        for (const Chosen& other : chosen) {
          if (other.record->id == record->id && other.run == run.id) {
            throw refused_value("run", name, fmt::format("case {} of {} is given twice", record->id, run.id));
          }
        }
        chosen.push_back({record, run.id, name});
        kinds.emplace_back().requested = record->requested;
      }
    }
    std::vector<std::string> axes = varying_settings(kinds);
    if (axes.empty()) axes = {"model", "batch_size", "sequence_length", "precision"};
    for (const Chosen& one : chosen) {
      const Price& price = price_of(one.part, *one.record, list);
      const std::string label = names.size() > 1 ? fmt::format("{} {}", one.part, short_label(*one.record, axes))
                                                 : short_label(*one.record, axes);
      analyzed_.push_back({one.record, analysis_of(*one.record), label});
      cases_.push_back({&analyzed_.back(), &price});
    }
  }

  // The name of a run before a '=' is one of those that are read.
  void check_machines(const std::vector<std::string>& names) {
    if (price_ && !machines_.empty()) {
      throw Error(ErrorKind::kBadInput, "--price-per-hour and --machine are two prices; give one of them");
    }
    for (const std::string& text : machines_) {
      const std::size_t equals = text.rfind('=');
      const std::string run = equals == std::string::npos ? "" : text.substr(0, equals);
      const std::string machine = equals == std::string::npos ? text : text.substr(equals + 1);
      if (!run.empty() && std::find(names.begin(), names.end(), run) == names.end()) {
        throw refused_value("machine", text, fmt::format("'{}' is not among the runs that are given", run),
                            "Name the run as it was given.");
      }
      if (!machine_of_.emplace(run, machine).second) {
        throw refused_value("machine", text,
                            run.empty() ? "there is one for all runs already" : "the run has one already");
      }
    }
  }

  const Price& price_of(const std::string& run, const CaseRecord& record, const std::vector<Price>& list) {
    if (price_) return kept({"", checked_price(*price_), checked_currency(currency_.value_or("USD")), "", ""});
    auto found = machine_of_.find(run);
    if (found == machine_of_.end()) found = machine_of_.find("");
    if (found != machine_of_.end()) return kept(price_named(list, found->second));
    const Json own = record.requested.is_object() ? record.requested.value("price_per_hour", Json()) : Json();
    if (own.is_number()) return kept({"", own.get<double>(), "USD", "", ""});
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("there is no price for {}; give --price-per-hour N, or --machine NAME of `transformeter cost "
                    "--list-prices`",
                    run.empty() ? "the run" : run));
  }

  const Price& kept(Price price) {
    for (const Price& known : prices_) {
      if (known.machine == price.machine && known.per_hour == price.per_hour) return known;
    }
    return prices_.emplace_back(std::move(price));
  }

  std::vector<Price> used_prices(double now_s) const {
    std::vector<Price> prices(prices_.begin(), prices_.end());
    for (Price& price : prices) price.is_outdated = is_outdated(price.date, now_s);
    return prices;
  }

  std::vector<std::string> processors() const {
    std::vector<std::string> names;
    for (const RunRecord& run : runs_) {
      const auto name = text_of_path(run.host, {"cpu", "model"});
      if (name && std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
    }
    return names;
  }

  static std::string price_table(const std::vector<Price>& list) {
    std::vector<std::vector<std::string>> rows;
    for (const Price& one : list) {
      rows.push_back({one.machine, format_number(one.per_hour), one.currency, one.date, one.source});
    }
    return text_table({{"machine"}, {"per hour", true}, {"currency"}, {"date"}, {"source"}}, rows);
  }

  static Json price_list_json(const std::vector<Price>& list) {
    Json prices = Json::array();
    for (const Price& one : list) prices.push_back(price_json(one));
    return {{"schema_version", kResultSchemaVersion}, {"prices", std::move(prices)}};
  }

  std::string text_of(const CostReport& report, const std::string& format) const {
    if (format == "json") return json_text(cost_json(report));
    if (format == "csv") return cost_csv(report);
    return document_as(format, cost_document(report), terminal_for(output_));
  }

  std::vector<std::string> parts_;
  std::optional<std::string> price_;
  std::optional<std::string> currency_;
  std::vector<std::string> machines_;
  std::string prices_file_;
  bool lists_prices_ = false;
  std::string per_;
  std::string latency_p95_;
  std::string samples_;
  std::string store_;
  std::string output_;
  std::optional<std::string> asked_format_;

  std::map<std::string, std::string> machine_of_;  // by run; "" for all
  std::deque<Price> prices_;
  std::deque<RunRecord> runs_;
  std::deque<AnalyzedCase> analyzed_;
  std::vector<PricedCase> cases_;
};

}  // namespace

std::unique_ptr<Command> make_cost_command() {
  return std::make_unique<CostCommand>();
}

}  // namespace transformeter
