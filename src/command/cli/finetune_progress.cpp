// Without a terminal, a line every tenth of the steps shows progress.
#include "cli/finetune_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "cli/run_progress.h"
#include "cli/terminal.h"

namespace transformeter {
namespace {

constexpr std::int64_t kLines = 10;
constexpr std::chrono::milliseconds kRedraw{200};

std::string score_text(const std::string& name, const Json& score) {
  const Json& value = score.at("value");
  std::string text =
      value.is_number() ? fmt::format("{} {:.4g}", name, value.get<double>()) : name + " is not a finite number";
  const Json& interval = score.at("interval");
  if (interval.is_array()) {
    text += fmt::format(" ({:.4g} to {:.4g})", interval.at(0).get<double>(), interval.at(1).get<double>());
  }
  return text;
}

std::string trained_text(const Json& modules) {
  return modules.empty() ? "" : fmt::format(", and {}", fmt::join(modules.get<std::vector<std::string>>(), ", "));
}

// The data, and the weights that are not the checkpoint's.
std::vector<std::string> beginning_lines(const Json& event) {
  std::vector<std::string> lines = {fmt::format("{} rows, {} steps, {} per epoch", event.at("rows").get<std::int64_t>(),
                                                event.at("steps").get<std::int64_t>(),
                                                event.at("steps_per_epoch").get<std::int64_t>())};
  if (const auto names = event.at("classes").get<std::vector<std::string>>(); !names.empty()) {
    lines.push_back(
        fmt::format("{} classes: {}", names.size(), excerpt(fmt::format("{}", fmt::join(names, ", ")), 300)));
  }
  const Json& effective = event.at("effective");
  const Json& model = effective.at("model");
  if (effective.contains("lora")) {
    const auto trained = model.at("trainable_parameters").get<double>(), all = model.at("parameters").get<double>();
    lines.push_back(
        fmt::format("{:.0f} of {:.0f} parameters are trainable ({:.2g} %): LoRA adapters of rank {} on {} matrices{}",
                    trained, all, 100 * trained / all, effective.at("lora").at("rank").get<std::int64_t>(),
                    effective.at("lora").at("matrices").get<std::int64_t>(),
                    trained_text(effective.at("lora").at("modules_to_save"))));
  }
  if (!model.at("trained").get<bool>()) {
    lines.push_back(
        fmt::format("weights: {}: presets are untrained; use a model folder or a model on the Hub to start "
                    "from a trained one",
                    model.at("weights").get<std::string>()));
  } else if (const auto added = model.at("new_weights").get<std::vector<std::string>>(); !added.empty()) {
    lines.push_back(
        fmt::format("randomly initialized, since the checkpoint has no matching weights: {}", fmt::join(added, ", ")));
  }
  return lines;
}

}  // namespace

std::string scores_text(const Json& evaluation) {
  const Json& scores = evaluation.at("scores");
  const auto headline = evaluation.at("headline").get<std::string>();
  std::string text = score_text(headline, scores.at(headline));
  for (const auto& [name, score] : scores.items()) {
    if (name != headline) text += ", " + score_text(name, score);
  }
  if (evaluation.at("loss").is_number()) text += fmt::format(", loss {:.4g}", evaluation.at("loss").get<double>());
  return text;
}

std::string finetune_summary_text(const Json& summary) {
  std::string text = fmt::format("{} steps{}, final loss {:.4g}\n", summary.at("steps").get<std::int64_t>(),
                                 summary.at("stopped_early").get<bool>() ? ", stopped early" : "",
                                 summary.at("last_loss").get<double>());
  if (summary.at("last_evaluation").is_object()) {
    text += fmt::format("last score: {}\n", scores_text(summary.at("last_evaluation")));
    text += summary.at("best").is_number()
                ? fmt::format("best:       {:.4g} at step {}\n", summary.at("best").get<double>(),
                              summary.at("best_step").get<std::int64_t>())
                : std::string("best:       no score is a finite number; the last model is kept\n");
  }
  return text + fmt::format("model:      {}\n", summary.at("folder").get<std::string>());
}

FinetuneProgress::FinetuneProgress(const Clock& clock, std::FILE* stream)
    : clock_(clock), line_(stream), started_(clock.now()), drawn_at_(started_), told_at_(started_) {}

void FinetuneProgress::tell(const Json& event) {
  const auto kind = event.at("event").get<std::string>();
  if (kind == "alive") return;
  if (kind == "started") {
    steps_ = event.at("steps");
    started_ = clock_.now();
    for (const std::string& line : beginning_lines(event)) line_.print(line);
  } else if (kind == "resumed") {
    first_step_ = event.at("step");
    for (const Json& refused : event.at("refused_checkpoints")) {
      line_.print(fmt::format("skipped {}: {}", refused.at("folder").get<std::string>(),
                              refused.at("reason").get<std::string>()));
    }
    line_.print(event.at("checkpoint").is_string() ? fmt::format("continuing after step {}", first_step_)
                                                   : std::string("no checkpoint: starting over"));
  } else if (kind == "step") {
    step(event);
  } else if (kind == "evaluation") {
    line_.print(fmt::format("step {}: {}{}", event.at("step").get<std::int64_t>(), scores_text(event),
                            event.at("is_best").get<bool>() ? ", best so far" : ""));
  }
  told_at_ = clock_.now();
}

void FinetuneProgress::end() {
  if (!(examples_ > 0 && learning_.count() > 0)) return;
  line_.print(fmt::format("{} sample/s and {} token/s, without padding, evaluations and checkpoints",
                          format_number(examples_ / learning_.count()),
                          format_number(useful_tokens_ / learning_.count())));
}

void FinetuneProgress::step(const Json& event) {
  learning_ += clock_.now() - told_at_;
  examples_ += event.at("examples").get<double>();
  useful_tokens_ += event.at("useful_tokens").get<double>();
  draw_step(event);
}

void FinetuneProgress::draw_step(const Json& event) {
  const auto step = event.at("step").get<std::int64_t>();
  const Seconds elapsed = clock_.now() - started_;
  const double each = elapsed.count() / static_cast<double>(std::max<std::int64_t>(1, step - first_step_));
  const std::string line = fmt::format("{} step {}/{}  loss {:.4f}  {}, about {} left",
                                       bar_text(static_cast<std::size_t>(step), static_cast<std::size_t>(steps_)), step,
                                       steps_, event.at("loss").get<double>(), clock_text(elapsed),
                                       clock_text(Seconds(each * static_cast<double>(steps_ - step))));
  if (terminal_at(line_.stream()).is_terminal) {
    if (clock_.now() - drawn_at_ < kRedraw && step != steps_) return;
    line_.draw(line);
    drawn_at_ = clock_.now();
  } else if (step == steps_ || step % std::max<std::int64_t>(1, steps_ / kLines) == 0) {
    line_.print(line);
  }
}

}  // namespace transformeter
