// Batches that do not fit, and what of the memory account could be given up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/training_findings.h"
#include "base/units.h"
#include "metrics/case_settings.h"

namespace transformeter {
namespace {

constexpr std::string_view kPattern = "memory_bound";
constexpr double kMinMemoryGain = 1.05;  // of a change that is worth advising

// Bytes of a step of a measured case; activations are those of a micro-batch.
struct MemoryAccount {
  double kept = 0;  // weights, gradients, optimizer state: the same for every batch
  double activations = 0;
  double whole() const { return kept + activations; }
};

std::optional<MemoryAccount> account_of(const TrainingPoint& point, TrainingFinding& finding) {
  MemoryAccount account;
  for (const char* part : {"weight_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes"}) {
    const auto figure = measured_figure(*point.the_case, part);
    if (!figure) return std::nullopt;
    finding.figures.push_back(*figure);
    (figure->name == "activation_bytes" ? account.activations : account.kept) += figure->value;
  }
  if (!(account.whole() > 0)) return std::nullopt;
  return account;
}

bool ran_out(const LeftOutCase& one) {
  const auto& status = one.the_case->record->status;
  return status == Status::kOutOfMemory || status == Status::kImpliedOutOfMemory;
}

// What the worker, which knows the model, forecasts for the case with that changed. Of tensors: what a process holds
// beside them takes as much of either, and so a part of the gain.
std::optional<PredictedGain> forecast_gain(const TrainingPoint& point, const char* change) {
  const Json& effective = point.the_case->record->effective;
  const auto as_is = number_of_path(effective, {"memory_forecast", "peak_bytes"});
  const auto changed = number_of_path(effective, {"memory_forecast", change});
  if (!as_is || !changed || !(*changed > 0)) return std::nullopt;
  return PredictedGain{"peak_memory", *as_is / *changed, std::nullopt,
                       fmt::format("{} ÷ {}: forecast peak tensor memory ÷ the same after the change",
                                   format_bytes(*as_is), format_bytes(*changed)),
                       true};
}

// The same examples a step from batches `times` as small. What the account does not hold takes as much of either, and
// so a part of the gain.
Advice accumulate(const TrainingPoint& fits, const MemoryAccount& account, double wanted_batch, double times) {
  const double micro_batch = wanted_batch / times;
  const double wanted = account.activations * wanted_batch / fits.batch_size;
  const double needed = account.activations * micro_batch / fits.batch_size;
  PredictedGain gain{"peak_memory", (account.kept + wanted) / (account.kept + needed), std::nullopt, "", true};
  gain.formula = fmt::format(
      "({} + {}) ÷ ({} + {}): weights, gradients and optimizer state + activations, which grow with the batch size",
      format_bytes(account.kept), format_bytes(wanted), format_bytes(account.kept), format_bytes(needed));
  return {
      fmt::format("use {} and {} times the gradient accumulation instead of {}: the same examples per step in {} "
                  "instead of {}, at most {} times less by measured tensor sizes",
                  batch_text(micro_batch), plain_number(times), plain_number(wanted_batch),
                  format_bytes(account.kept + needed), format_bytes(account.kept + wanted), format_number(gain.factor)),
      gain};
}

// Of what fitted.
Advice halve(const TrainingPoint& fits, const MemoryAccount& account) {
  const auto forecast = forecast_gain(fits, "accumulation_doubled_bytes");
  if (!forecast) return accumulate(fits, account, fits.batch_size, 2);
  return {fmt::format("use {} and twice the gradient accumulation instead of {}: the same examples per step in at most "
                      "{} times less memory, by forecast",
                      batch_text(fits.batch_size / 2), plain_number(fits.batch_size), format_number(forecast->factor)),
          *forecast};
}

Advice checkpoint(const TrainingPoint& fits, const MemoryAccount& account) {
  const PredictedGain by_account{"peak_memory", account.whole() / account.kept, std::nullopt,
                                 fmt::format("{} ÷ {}: all tensors ÷ all but activations",
                                             format_bytes(account.whole()), format_bytes(account.kept)),
                                 true};
  const auto forecast = forecast_gain(fits, "gradient_checkpointing_bytes");
  const PredictedGain gain = forecast.value_or(by_account);
  std::string price = "it costs one more forward pass, which was not measured";
  if (const auto forward = share_of_step(fits, "forward_time")) {
    price = fmt::format("it costs one more forward pass, {} of the step", figure_text(*forward));
  }
  return {fmt::format("set gradient_checkpointing on: activations are {} of tensor memory at {}, so at most {} times "
                      "less memory{}; {}",
                      percent_text(account.activations / account.whole()), batch_text(fits.batch_size),
                      format_number(gain.factor), forecast ? ", by forecast" : "", price),
          gain};
}

// Where neither saves enough.
Advice need_less(const TrainingPoint& fits, const MemoryAccount& account) {
  const std::string optimizer = training_setting(*fits.the_case->record, "optimizer");
  std::string choice = "use an optimizer with less state (adafactor, sgd) or ";
  if (optimizer == "sgd") choice = "use adafactor, which has less state, or ";
  if (optimizer == "adafactor") choice = "use ";
  return {fmt::format("{}a smaller model: weights, gradients and optimizer state are {} of tensor memory at {}", choice,
                      percent_text(account.kept / account.whole()), batch_text(fits.batch_size)),
          std::nullopt};
}

void add_advice(const TrainingSeries& series, std::optional<double> failed_batch, TrainingFinding& finding) {
  if (series.points.empty()) {
    finding.advice.push_back({"use a smaller batch or a smaller model: no case in the series fits", std::nullopt});
    return;
  }
  const TrainingPoint& fits = series.points.back();
  const auto account = account_of(fits, finding);
  if (!account) {
    finding.advice.push_back(
        {fmt::format("{} fits, but some of its tensor sizes are missing, so no saving can be computed",
                     batch_text(fits.batch_size)),
         std::nullopt});
    return;
  }
  const auto advise = [&](Advice advice) {
    if (advice.gain->factor >= kMinMemoryGain) finding.advice.push_back(std::move(advice));
  };
  // Of images and captions smaller batches learn something else: each pair is compared with its own batch.
  const bool may_divide = !has_captions(fits.the_case->record->requested);
  if (may_divide && failed_batch && *failed_batch > fits.batch_size) {
    // The largest batch known to fit that divides the wanted one: it fits, whatever it saves.
    const double times = std::ceil(*failed_batch / fits.batch_size);
    if (std::fmod(*failed_batch, times) == 0)
      finding.advice.push_back(accumulate(fits, *account, *failed_batch, times));
  } else if (may_divide && std::fmod(fits.batch_size, 2) == 0) {
    advise(halve(fits, *account));
  }
  if (training_setting(*fits.the_case->record, "gradient_checkpointing") != "on" && account->activations > 0) {
    advise(checkpoint(fits, *account));
  }
  if (finding.advice.empty()) finding.advice.push_back(need_less(fits, *account));
}

}  // namespace

std::optional<MemoryUse> memory_use(const TrainingPoint& point) {
  const CaseRecord& record = *point.the_case->record;
  MemoryUse use;
  std::optional<double> limit;
  std::optional<EvidenceFigure> peak;
  if (!training_setting(record, "device").starts_with("cpu")) {
    // The worker's limit is the host's, and so is its RSS.
    use.limit_name = "device_memory";
    limit = number_of_path(record.effective, {"device_facts", "memory_bytes"});
    peak = measured_figure(*point.the_case, "device_process_memory");
  } else {
    use.limit_name = "memory_limit";
    limit = number_of_path(record.effective, {"memory_limit"});
    peak = measured_figure(*point.the_case, "peak_anonymous");
    use.is_upper_bound = !peak;
    if (!peak) peak = measured_figure(*point.the_case, "peak_rss");
  }
  if (!limit || !(*limit > 0) || !peak) return std::nullopt;
  use.peak = *peak;
  use.limit = *limit;
  return use;
}

std::string memory_use_text(const MemoryUse& use) {
  return fmt::format("{} is {}, {} of the {} of {}", use.peak.name, figure_text(use.peak), percent_text(use.share()),
                     use.limit_name == "memory_limit" ? "memory limit" : "device memory", format_bytes(use.limit));
}

TrainingFinding memory_finding(const TrainingSeries& series) {
  TrainingFinding finding = not_determined(kPattern, "");
  std::vector<std::string> facts;
  std::optional<double> failed_batch;
  for (const LeftOutCase& one : series.left_out) {
    if (!ran_out(one)) continue;
    if (!failed_batch) failed_batch = one.batch_size;
    finding.cases.push_back(one.the_case->record->id);
    facts.push_back(fmt::format("{} is {}", batch_text(one.batch_size), one.why));
  }
  std::vector<std::string> roomy;
  bool all_known = !series.points.empty();
  for (const TrainingPoint& point : series.points) {
    const auto use = memory_use(point);
    // Files that are mapped may be let go of: they show that there is room, never that there is none.
    if (!use || (use->is_upper_bound && use->share() >= kMemoryShare)) {
      all_known = false;
      continue;
    }
    finding.cases.push_back(point.the_case->record->id);
    finding.figures.push_back(use->peak);
    finding.figures.push_back({use->limit_name, "bytes", use->limit, std::nullopt, point.the_case->record->id});
    const std::string text = fmt::format("{} at {}", memory_use_text(*use), batch_text(point.batch_size));
    (use->share() >= kMemoryShare ? facts : roomy).push_back(text);
  }
  if (!facts.empty()) {
    finding.state = FindingState::kPresent;
    finding.statement = fmt::format("{}", fmt::join(facts, "; "));
    add_advice(series, failed_batch, finding);
  } else if (all_known) {
    finding.state = FindingState::kAbsent;
    finding.statement = fmt::format("no batch ran out of memory; {}", roomy.back());
  } else if (series.points.empty()) {
    finding.reason = "no case can be used and none ran out of memory";
  } else {
    finding.reason =
        "no case ran out of memory; how close they came is unknown, because the worker's memory (peak_anonymous, on a "
        "GPU device_process_memory) or its limit is missing";
  }
  return finding;
}

}  // namespace transformeter
