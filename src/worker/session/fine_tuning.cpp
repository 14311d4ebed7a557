// A step depends on weights, optimizer, its number and its place in the data alone: what a checkpoint holds.
#include "session/fine_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/atomic_folder.h"
#include "base/error.h"
#include "base/stopwatch.h"
#include "measure/precision.h"
#include "spec/adapter_config.h"
#include "spec/tensor_inventory.h"
#include "train/adapter_folder.h"
#include "train/model_folder.h"

namespace transformeter {
namespace {

using Minutes = std::chrono::duration<double, std::ratio<60>>;

constexpr const char* kBest = "best";
constexpr std::chrono::seconds kHeartbeatInterval{5};  // after which a sign of life is due

// A perplexity may be beyond all numbers, which JSON has no word for.
Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const ValidationResult& result) {
  Json scores = Json::object();
  for (const Score& score : result.scores) {
    if (!score.group.empty()) continue;
    Json interval;
    if (score.estimate.interval) interval = {score.estimate.interval->low, score.estimate.interval->high};
    scores[score.name] = {{"value", finite_or_null(score.estimate.value)},
                          {"interval", interval},
                          {"n", score.estimate.n},
                          {"counts", score.counts}};
  }
  return {{"headline", result.scores.front().name},
          {"scores", std::move(scores)},
          {"loss", result.loss ? finite_or_null(*result.loss) : Json()}};
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

std::string precision_that_runs(const Training& training) {
  const c10::ScalarType weights = training.weights.weights.front().value.scalar_type();
  return precision_of(weights, trainer_options(training.request).autocast.value_or(weights), *training.device);
}

}  // namespace

FineTuning::FineTuning(Training training, std::unique_ptr<Validation> validation, FineTuneOptions options,
                       const Clock& clock, OnEvent on_event)
    : training_(std::move(training)),
      validation_(std::move(validation)),
      options_(std::move(options)),
      clock_(clock),
      on_event_(std::move(on_event)),
      checkpoints_(options_.output, static_cast<std::size_t>(options_.kept_checkpoints)),
      steps_(steps_in_all()),
      trainer_(*training_.model, *training_.operators, training_.weights.weights, options_of_trainer()),
      told_(clock.now()),
      kept_(told_) {
  if (!training_.lora || options_.merges_adapter) return;
  const auto why_not = why_not_for_peft(training_.config, training_.request.task);
  if (why_not) throw Error(ErrorKind::kBadInput, *why_not);
}

void FineTuning::tell(const Json& event) {
  told_ = clock_.now();
  on_event_(event);
}

void FineTuning::send_heartbeat() {
  if (clock_.now() - told_ >= kHeartbeatInterval) tell({{"event", "alive"}});
}

// An epoch's last step takes what is left of it.
std::int64_t FineTuning::steps_per_epoch() const {
  const std::int64_t batches = count_epoch_batches(*training_.rows.rows, loader_options(training_));
  const std::int64_t in_a_step = training_.request.gradient_accumulation;
  return (batches + in_a_step - 1) / in_a_step;
}

std::int64_t FineTuning::steps_in_all() const {
  if (options_.steps) return *options_.steps;
  const double steps = std::ceil(options_.epochs * static_cast<double>(steps_per_epoch()));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

TrainerOptions FineTuning::options_of_trainer() const {
  TrainerOptions options = trainer_options(training_.request);
  options.schedule.kind = options_.schedule;
  options.schedule.steps = steps_;
  options.schedule.warmup_steps =
      options_.warmup_ratio ? static_cast<std::int64_t>(std::ceil(*options_.warmup_ratio * static_cast<double>(steps_)))
                            : options_.warmup_steps;
  if (!options_.resumes && options.schedule.warmup_steps > steps_) {
    throw bad_value(
        "warmup_steps", fmt::format("{}", options.schedule.warmup_steps),
        fmt::format(
            "a number from 0 to {}, the steps of this training; otherwise the learning rate never reaches its maximum",
            steps_));
  }
  return options;
}

TrainingState FineTuning::state() const {
  return {named_values(training_.weights.weights), trainer_.optimizer().state()};
}

void FineTuning::resume() {
  settle_folders(options_.output, [](std::string_view name) { return name == kBest; });
  const FoundCheckpoints found = checkpoints_.find([this] { send_heartbeat(); });
  Json refused = Json::array();
  for (const RefusedCheckpoint& one : found.refused) {
    refused.push_back({{"folder", one.folder.string()}, {"reason", one.reason}});
  }
  if (!found.newest && !found.refused.empty()) {
    const RefusedCheckpoint& one = found.refused.front();
    throw Error(ErrorKind::kBadInput, fmt::format("{}: none of {} checkpoints is complete; the newest: {}. Nothing was "
                                                  "changed; to start a new fine-tuning, choose another --output",
                                                  one.folder.string(), found.refused.size(), one.reason));
  }
  if (found.newest) {
    restore(*found.newest, state());
    trainer_.continue_from(found.newest->step);
    progress_ = training_progress_from_json(found.newest->progress);
    first_micro_batch_ = progress_.micro_batches;
    if (progress_.loss_scale) trainer_.restore_loss_scale(*progress_.loss_scale);
  }
  tell({{"event", "resumed"},
        {"step", trainer_.steps_taken()},
        {"checkpoint", found.newest ? Json(found.newest->folder.string()) : Json()},
        {"refused_checkpoints", std::move(refused)}});
}

std::vector<std::string> FineTuning::class_names() const {
  std::vector<std::string> names;
  if (loss_of(training_.request.task) == LossKind::kSquaredError) return names;  // its output is a value
  const auto count = static_cast<std::size_t>(training_.rows.class_count);
  const std::vector<std::string>& labels = training_.config.labels;
  for (std::size_t i = 0; i < count; ++i) names.push_back(labels.size() == count ? labels[i] : std::to_string(i));
  return names;
}

Json FineTuning::run() {
  Json effective = effective_settings(training_);
  effective["precision"] = precision_that_runs(training_);
  tell({{"event", "started"},
        {"steps", steps_},
        {"steps_per_epoch", steps_per_epoch()},
        {"rows", training_.rows.rows->row_count()},
        {"classes", class_names()},
        {"is_scored", validation_ != nullptr},
        {"effective", std::move(effective)}});
  if (options_.resumes) resume();
  kept_ = clock_.now();
  LoaderOptions loader = loader_options(training_);
  loader.first_batch = first_micro_batch_;
  loader_ = std::make_unique<BatchLoader>(*training_.rows.rows, loader);
  work_ = std::make_unique<StepWork>(training_, *loader_, trainer_);
  try {
    while (trainer_.steps_taken() < steps_ && !progress_.is_over) take_step();
  } catch (const Error& error) {
    // Images and sounds are decoded when their turn comes. One that went away since the start, when all could be read,
    // is no bad input but a fault of the machine, after which the training can be resumed.
    if (!training_.reads_files() || error.kind() != ErrorKind::kBadInput) throw;
    throw Error(ErrorKind::kEnvironment, error.what());
  }
  if (!progress_.best) write_best();  // no score, or none that is a number: the last
  return summary();
}

void FineTuning::take_step() {
  work_->take();
  const StepResult result = work_->step([this](StepPhase) { send_heartbeat(); });
  progress_.micro_batches = first_micro_batch_ + work_->micro_batches();
  progress_.last_loss = result.loss;
  progress_.loss_scale = trainer_.loss_scale();
  const std::int64_t step = trainer_.steps_taken();
  const StepSize size = work_->size();
  tell({{"event", "step"},
        {"step", step},
        {"epoch", work_->epoch()},
        {"loss", result.loss},
        {"gradient_norm", finite_or_null(result.gradient_norm)},
        {"learning_rate", result.learning_rate},
        {"skipped", result.is_skipped},
        {"examples", size.work.examples},
        {"useful_tokens", size.work.useful_tokens}});
  const bool is_evaluated = is_evaluation_due(work_->ends_epoch());
  if (is_evaluated && validation_ != nullptr) evaluate();
  if (is_evaluated || is_checkpoint_due()) write_checkpoint();
}

bool FineTuning::is_checkpoint_due() const {
  if (options_.checkpoint_steps && trainer_.steps_taken() % *options_.checkpoint_steps == 0) return true;
  return options_.checkpoint_minutes && clock_.now() - kept_ >= Minutes(*options_.checkpoint_minutes);
}

bool FineTuning::is_evaluation_due(bool ends_epoch) const {
  const std::int64_t step = trainer_.steps_taken();
  if (step == steps_) return true;
  return options_.evaluation_steps ? step % *options_.evaluation_steps == 0 : ends_epoch;
}

void FineTuning::evaluate() {
  const Stopwatch watch(clock_);
  const ValidationResult result = run_validation();
  const double headline = result.scores.front().estimate.value;
  const bool is_better =
      std::isfinite(headline) &&
      (!progress_.best || (result.lower_is_better ? headline < *progress_.best : headline > *progress_.best));
  progress_.worse = is_better ? 0 : progress_.worse + 1;
  if (is_better) {
    progress_.best = headline;
    progress_.best_step = trainer_.steps_taken();
    write_best();
  }
  progress_.is_over = options_.patience && progress_.worse >= *options_.patience;
  progress_.last_evaluation = to_json(result);
  Json event = progress_.last_evaluation;
  event["event"] = "evaluation";
  event["step"] = trainer_.steps_taken();
  event["is_best"] = is_better;
  event["seconds"] = watch.seconds();
  tell(event);
}

ValidationResult FineTuning::run_validation() {
  try {
    return validation_->validate(training_, [this] { send_heartbeat(); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kDiverged) throw;
    throw Error(ErrorKind::kDiverged,
                fmt::format("the evaluation after step {}: {}; a lower learning_rate, a longer warm-up or a smaller "
                            "max_gradient_norm may help",
                            trainer_.steps_taken(), error.what()));
  }
}

void FineTuning::write_checkpoint() {
  send_heartbeat();
  const TrainingCheckpoint written =
      checkpoints_.write(trainer_.steps_taken(), state(), to_json(progress_), [this] { send_heartbeat(); });
  kept_ = clock_.now();
  tell({{"event", "checkpoint"}, {"step", written.step}, {"folder", written.folder.string()}});
}

void FineTuning::write_best() {
  const std::filesystem::path folder = std::filesystem::path(options_.output) / kBest;
  send_heartbeat();
  if (training_.lora && !options_.merges_adapter) {
    write_adapter(folder);
  } else {
    write_model(folder);
  }
  send_heartbeat();
}

void FineTuning::write_model(const std::filesystem::path& folder) const {
  TrainedModel model;
  model.config = training_.config;
  model.task = training_.request.task;
  const Parameters& parameters = training_.weights.parameters;
  for (const TensorSpec& tensor : tensor_inventory(model.config, model.task)) {
    model.weights.push_back({tensor.name, parameters.at(tensor.name)});
  }
  if (training_.lora) {
    model.written = [&](const NamedTensor& weight) { return merged_value(parameters, weight, *training_.lora); };
  }
  if (training_.is_trained) model.checkpoint = training_.request.model;
  model.vocabulary = training_.vocabulary;
  write_model_folder(folder, model);
}

void FineTuning::write_adapter(const std::filesystem::path& folder) const {
  write_adapter_folder(folder, {*training_.lora,
                                training_.request.task,
                                named_values(training_.weights.weights),
                                {options_.base_model, options_.base_revision}});
}

Json FineTuning::summary() const {
  return {{"steps", trainer_.steps_taken()},
          {"stopped_early", progress_.is_over},
          {"last_loss", progress_.last_loss},
          {"best", or_null(progress_.best)},
          {"best_step", progress_.best ? Json(progress_.best_step) : Json()},
          {"last_evaluation", progress_.last_evaluation},
          {"folder", (std::filesystem::path(options_.output) / kBest).string()}};
}

}  // namespace transformeter
