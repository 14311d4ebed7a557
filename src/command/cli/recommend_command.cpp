// `transformeter recommend`: the case, or the settings of training, that stored results back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/case_choice.h"
#include "analysis/stored_runs.h"
#include "analysis/training_recommendation.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/case_selection.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/interrupt.h"
#include "cli/measured_choice.h"
#include "cli/price_options.h"
#include "cli/stored_choice.h"
#include "report/choice_report.h"
#include "report/recommendation_report.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr const char* kTraining = "training";

constexpr UsageExample kExamples[] = {
    {"transformeter recommend", "the case of the latest run with the highest throughput, and how sure that is"},
    {"transformeter recommend --for cost --price-per-hour 0.40 \\\n    --latency-p95 50ms --accuracy 0.9 --memory 2GiB",
     "the cheapest case that keeps all three limits"},
    {"transformeter recommend nightly:engine=fast --for latency -o advice.md"},
    {"transformeter recommend --for latency --measure 5m",
     "finishes the latest run, then measures cases that may be the best again until it is decided which is"},
    {"transformeter recommend --for training",
     "from every run in transformeter.db: hardware, precision, batch size, gradient accumulation, optimizer and "
     "learning rates to train with, each with the cases and figures behind it"},
};
constexpr const char* kNotes[] = {
    "The probability that a case is the best comes from draws of where each case's level may lie, by its interval over "
    "processes or slices; below 95 % the choice is undecided, and the command that would decide it is printed. "
    "docs/recommend.md has more, docs/training-diagnosis.md for training.",
    "Exit codes: 0 a case is recommended, decided or not; 1 no case keeps the limits; 3 bad input; 130 interrupted.",
};

std::vector<std::string> purposes() {
  std::vector<std::string> words = objective_names();
  words.emplace_back(kTraining);
  return words;
}

// "0.9" or "90%".
double checked_accuracy(const std::string& text) {
  const bool is_percent = text.ends_with('%');
  const auto number = parse_number(is_percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? *number / (is_percent ? 100 : 1) : -1;
  if (!(share >= 0 && share <= 1)) throw bad_value("accuracy", text, "a share from 0 to 1, e.g. 0.9 or 90%");
  return share;
}

double checked_divergence(const std::string& text) {
  const auto number = parse_number(text);
  if (!number || !std::isfinite(*number) || *number <= 0) {
    throw bad_value("divergence", text, "a ratio above 0, e.g. 0.01");
  }
  return *number;
}

class RecommendCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration command{
        .name = "recommend",
        .task = CommandTask::kResults,
        .summary = "recommend a case, or settings for training, backed by stored results",
        .options = {{.names = {"run"},
                     .target = &parts_,
                     .placeholder = "RUN...",
                     .help = "runs, or RUN:SETTING=VALUE,...; default: the latest, for training every run"},
                    {.names = {"--for"},
                     .target = &purpose_,
                     .placeholder = "PURPOSE",
                     .help = "what the case is to be best at, or training",
                     .initial = purpose_,
                     .words = purposes(),
                     .has_only_words = true},
                    {.names = {"--latency-p95"},
                     .target = &latency_p95_,
                     .placeholder = "TIME",
                     .help = "only cases whose 95th percentile of latency is at most this, e.g. 50ms"},
                    {.names = {"--memory"},
                     .target = &memory_,
                     .placeholder = "BYTES",
                     .help = "only cases whose peak memory is at most this, e.g. 2GiB"},
                    {.names = {"--accuracy"},
                     .target = &accuracy_,
                     .placeholder = "SHARE",
                     .help = "only cases whose accuracy is at least this, e.g. 0.9"},
                    {.names = {"--divergence"},
                     .target = &divergence_,
                     .placeholder = "RATIO",
                     .help = "only cases that diverge from the reference by at most this, e.g. 0.01"},
                    {.names = {"--measure"},
                     .target = &measure_,
                     .placeholder = "TIME",
                     .help =
                         "first measure possible winners again until one is decided, for at most this time, e.g. 5m"}},
        .examples = kExamples,
        .notes = kNotes};
    for (OptionDeclaration& option : prices_.declarations()) command.options.push_back(std::move(option));
    command.options.push_back(store_option(store_));
    command.options.push_back(output_.output_option());
    command.options.push_back(output_.format_option());
    return command;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    output_.check(store_);
    const auto objective = objective_named(purpose_);
    if (!objective && purpose_ != kTraining) throw unknown_value("for", purpose_, purposes());
    return objective ? recommend_case(context, interrupt, *objective) : recommend_settings(context, interrupt);
  }

 private:
  int recommend_case(const Context& context, const std::atomic<bool>& interrupt, Objective objective) {
    const std::vector<Price> list = prices_.read_list(context.data_directory, context.clock.wall_s());
    prices_.check(named_parts(parts_), list);
    ChoiceRequest request{parts_, {objective, limits()}, prices_, &interrupt};
    const std::optional<Seconds> most = measuring_time(objective);
    std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log);  // no new one is made
    const std::unique_ptr<BaselineStore> baselines = open_baseline_store(store_, StoreMode::kRead, context.log);
    bool was_interrupted = false;
    if (most) {
      store = open_store(store_, StoreMode::kWrite, context.log);
      was_interrupted = measure_choice(context, *store, store_, *baselines, request, *most).interrupted;
      if (was_interrupted) request.interrupt = nullptr;  // what was measured is answered from
    }
    const StoredChoice stored(*store, *baselines, request);
    const ChoiceReport report{request.options, prices_.used_prices(), stored.choices(), stored.left_out(), store_};
    output_.write([&] { return choice_document(report); }, [&] { return choice_json(report); });
    if (was_interrupted) return kExitInterrupted;
    const bool has_choice = std::any_of(report.choices.begin(), report.choices.end(),
                                        [](const CaseChoice& one) { return one.state != ChoiceState::kNone; });
    return has_choice ? kExitOk : kExitFault;
  }

  int recommend_settings(const Context& context, const std::atomic<bool>& interrupt) {
    check_is_of_training();
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kRead, context.log, "train");
    const std::vector<RunRecord> records = load(*store, interrupt);
    std::vector<AnalyzedRun> runs;
    for (const RunRecord& record : records) runs.push_back(analyze_run(record));
    const std::vector<WorkloadRecommendation> workloads = recommend_training(runs);
    if (workloads.empty()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("no training cases (scenario train) in {} of {}",
                              parts_.empty() ? "any run" : fmt::format("{}", fmt::join(parts_, ", ")), store_));
    }
    output_.write([&] { return recommendation_document(workloads); }, [&] { return recommendation_json(workloads); });
    return kExitOk;
  }

  std::vector<Limit> limits() const {
    std::vector<Limit> limits;
    if (!latency_p95_.empty()) {
      limits.push_back({LimitKind::kLatencyP95, parse_duration("latency-p95", latency_p95_).count()});
    }
    if (!memory_.empty()) {
      limits.push_back({LimitKind::kMemory, static_cast<double>(parse_bytes("memory", memory_))});
    }
    if (!accuracy_.empty()) limits.push_back({LimitKind::kAccuracy, checked_accuracy(accuracy_)});
    if (!divergence_.empty()) limits.push_back({LimitKind::kDivergence, checked_divergence(divergence_)});
    return limits;
  }

  // Nothing: nothing is measured. Cases of several runs are of as many plans.
  std::optional<Seconds> measuring_time(Objective objective) const {
    if (measure_.empty()) return std::nullopt;
    if (is_score(objective)) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--measure does not help --for {}: more processes score the same texts again",
                              name_of(objective)));
    }
    if (parts_.size() > 1) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--measure takes up one run, not {}; measure them one after the other", parts_.size()));
    }
    return parse_duration("measure", measure_);
  }

  void check_is_of_training() const {
    const std::pair<const char*, bool> others[] = {
        {"--latency-p95", !latency_p95_.empty()}, {"--memory", !memory_.empty()},
        {"--accuracy", !accuracy_.empty()},       {"--divergence", !divergence_.empty()},
        {"--measure", !measure_.empty()},         {"a price", prices_.is_any_given()}};
    for (const auto& [option, is_given] : others) {
      if (is_given) {
        throw Error(ErrorKind::kBadInput,
                    fmt::format("{} chooses among cases of inference; leave it out with --for training", option));
      }
    }
  }

  std::vector<RunRecord> load(Store& store, const std::atomic<bool>& interrupt) const {
    std::vector<std::string> selectors = parts_;
    if (selectors.empty()) {
      for (const RunRecord& run : store.list_runs()) selectors.push_back(run.id);
    }
    std::vector<RunRecord> records;
    for (const std::string& selector : selectors) {
      check_interrupt(interrupt);
      RunRecord record = load_analyzed_run(store, selector);
      const bool is_there =
          std::any_of(records.begin(), records.end(), [&](const RunRecord& other) { return other.id == record.id; });
      if (!is_there) records.push_back(std::move(record));
    }
    return records;
  }

  std::vector<std::string> parts_;
  std::string purpose_ = "throughput";
  std::string latency_p95_;
  std::string memory_;
  std::string accuracy_;
  std::string divergence_;
  std::string measure_;
  PriceOptions prices_;
  std::string store_;
  DocumentOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_recommend_command() {
  return std::make_unique<RecommendCommand>();
}

}  // namespace transformeter
