// `transformeter cost`: stored results at the price of a machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cost.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/case_selection.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/plot_output.h"
#include "cli/price_options.h"
#include "cli/text_table.h"
#include "plots/cost_picture.h"
#include "report/cost_report.h"
#include "report/json_text.h"
#include "schema/status.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter cost --price-per-hour 0.40", "the latest run on a machine of 0.40 USD per hour"},
    {"transformeter cost nightly --machine g5.xlarge --latency-p95 50ms",
     "by a bundled list price; the cheapest case that keeps the limit"},
    {"transformeter cost laptop server --prices prices.yaml \\\n    --machine laptop=dev-box --machine server=c8",
     "two machines, each at its own price from a file"},
    {"transformeter cost encoders --price-per-hour 0.40 --samples 1e6 \\\n    --format markdown",
     "also what a million samples cost, with accuracy and FLOPs beside it"},
    {"transformeter cost encoders --machine g5.xlarge --plot cost.svg", "also as a picture"},
    {"transformeter cost --list-prices"},
};
constexpr const char* kNotes[] = {
    "A cost is price times time: per million useful tokens (generate: new tokens), thousand samples, request or "
    "training step, with the interval of the time. It holds for a machine that is busy all the time.",
    "--prices FILE is YAML or JSON: {prices: [{machine, price_per_hour, currency, source, date}]}; docs/cost.md has "
    "more.",
    "Exit codes: 0 a case can be chosen, 1 none can, 3 bad input.",
};

class CostCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration command{
        .name = "cost",
        .task = CommandTask::kResults,
        .summary = "say what stored cases cost at a machine's price, and which is the cheapest",
        .options = {{.names = {"run"},
                     .target = &parts_,
                     .placeholder = "RUN...",
                     .help = "runs, or RUN:SETTING=VALUE,... for some of their cases; default: the latest"}},
        .examples = kExamples,
        .notes = kNotes};
    for (OptionDeclaration& option : prices_.declarations()) command.options.push_back(std::move(option));
    const std::vector<OptionDeclaration> further{
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
        plot_.option("costs against accuracy and compute"),
        store_option(store_),
        output_.output_option(),
        output_.format_option()};
    command.options.insert(command.options.end(), further.begin(), further.end());
    return command;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    output_.check(store_);
    plot_.check(store_, output_.file());
    const CostOptions options = cost_options();
    const std::vector<Price> list = prices_.read_list(context.data_directory, context.clock.wall_s());
    if (lists_prices_) {
      output_.write_text(output_.format() == "json" ? json_text(price_list_json(list)) : price_table(list));
      return kExitOk;
    }
    prices_.check(named_parts(parts_), list);
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kRead, context.log);
    const CaseSelection selection(*store, *baselines, parts_);
    const std::vector<PricedCase> cases = priced_cases(selection);
    const CostReport report{prices_.used_prices(), selection.processors(), options, costs_of(cases, options)};
    if (output_.format() == "csv") {
      output_.write_text(cost_csv(report));
    } else {
      output_.write([&] { return cost_document(report); }, [&] { return cost_json(report); });
    }
    plot_.draw([&] { return cost_picture(report); }, interrupt);
    const bool has_choice = std::any_of(report.groups.begin(), report.groups.end(),
                                        [](const CostGroup& group) { return group.costs.front().can_be_chosen(); });
    return has_choice ? kExitOk : kExitFault;
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

  std::vector<PricedCase> priced_cases(const CaseSelection& selection) {
    std::vector<PricedCase> cases;
    for (const SelectedCase& selected : selection.cases()) {
      cases.push_back({&selected.one, &prices_.price_of(selected.part, *selected.one.record)});
    }
    return cases;
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

  std::vector<std::string> parts_;
  PriceOptions prices_;
  bool lists_prices_ = false;
  std::string per_;
  std::string latency_p95_;
  std::string samples_;
  PlotOutput plot_;
  std::string store_;
  DocumentOutput output_{true};
};

}  // namespace

std::unique_ptr<Command> make_cost_command() {
  return std::make_unique<CostCommand>();
}

}  // namespace transformeter
