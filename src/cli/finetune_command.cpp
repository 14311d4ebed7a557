// `transformeter finetune`: a real fine-tuning, from weights to a folder that others can load.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/finetune_progress.h"
#include "cli/hub_connection.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "run/finetune.h"
#include "run/launcher.h"
#include "spec/presets.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter finetune --model all-MiniLM-L6-v2/ --data sst2/train.tsv \
    --evaluation-data sst2/dev.tsv --epochs 1 --output my-classifier
  transformeter finetune --model my-bert/ --task question_answering \
    --data dev-v1.1.json --evaluation-share 0.1 --sequence-length 384 \
    --batch-size 16 --output my-reader
  transformeter finetune --model gpt2 --task causal_lm --data input.txt \
    --sequence-length 256 --steps 500 --output my-writer
  transformeter finetune --resume my-classifier
      goes on from the newest whole checkpoint, as if nothing had happened

OUTPUT/best is a folder that Hugging Face Transformers, transformeter predict and transformeter push read;
OUTPUT/log.jsonl has a line for each step and score. docs/finetune.md tells all.

Exit codes: 0 done, 1 the training failed (the reason is told, checkpoints stay), 3 bad input, 130 interrupted.)";

// Settings of `run` with one value each.
constexpr const char* kSettings[] = {"model",
                                     "task",
                                     "data",
                                     "text_column",
                                     "text_pair_column",
                                     "label_column",
                                     "labels",
                                     "split",
                                     "limit",
                                     "batch_size",
                                     "sequence_length",
                                     "stride",
                                     "gradient_accumulation",
                                     "learning_rate",
                                     "weight_decay",
                                     "max_gradient_norm",
                                     "label_smoothing",
                                     "dropout",
                                     "optimizer",
                                     "gradient_checkpointing",
                                     "precision",
                                     "attention",
                                     "batching",
                                     "loader_threads",
                                     "deterministic",
                                     "seed",
                                     "threads",
                                     "memory_limit",
                                     "device"};
constexpr const char* kWorkerSettings[] = {"worker_timeout", "worker"};

// Who trains wants the model, not a figure to compare: what engine fast chooses for a training, with batching as asked.
Json fastest_settings() {
  return {{"engine", "fast"},
          {"fusion", "fused"},
          {"weights", "plain"},
          {"allocator", "glibc_raised"},
          {"huge_pages", "preferred"}};
}

// What suits a training better than the default of `run`.
std::string initial_of(const SettingTerm& term) {
  static const std::map<std::string_view, std::string> kOwn = {{"task", "sequence_classification"},
                                                               {"data", ""},
                                                               {"model", ""},
                                                               {"batch_size", "16"},
                                                               {"sequence_length", "natural"},
                                                               {"batching", "bucketed"},
                                                               {"precision", "fp32"},
                                                               {"weight_decay", "0.01"}};
  const auto own = kOwn.find(term.name);
  return own == kOwn.end() ? std::string(term.initial) : own->second;
}

// The table speaks to `run`, where a scenario has to be named.
std::string help_of(const SettingTerm& term) {
  std::string text(term.help);
  constexpr std::string_view kScenario = "scenario train: ";
  if (text.starts_with(kScenario)) text.erase(0, kScenario.size());
  if (term.name == "task") text = "what the model learns";
  if (term.name == "learning_rate") text = "the highest, of which the schedule takes its share";
  if (const std::string initial = initial_of(term); !initial.empty()) text += fmt::format(" [{}]", initial);
  return text;
}

std::int64_t count_of(const char* what, const std::string& text, std::int64_t least) {
  const auto number = parse_integer(text);
  if (number && *number >= least) return *number;
  throw bad_value(what, text, fmt::format("a whole number from {}", least));
}

double number_of(const char* what, const std::string& text, double above, double most) {
  const auto number = parse_number(text);
  if (number && *number > above && *number <= most) return *number;
  throw bad_value(what, text, fmt::format("a number above {} and up to {}", above, most));
}

class FinetuneCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app =
        program.add_subcommand("finetune", "train a model on a data set, with scores, checkpoints and resume");
    describe_values(*app->add_option("--resume", resumed_, "go on with the fine-tuning of that folder"), "OUTPUT");
    add_settings(*app, kSettings);
    add_own(*app, "--output", "DIR", "where checkpoints, the log and the best model go");
    add_own(*app, "--epochs", "N", "passes over the data set, as 3 or 0.5 [3]");
    add_own(*app, "--steps", "N", "steps in place of epochs");
    add_own(*app, "--schedule", "SCHEDULE", "of the learning rate: constant, linear or cosine [linear]");
    add_own(*app, "--warmup-steps", "N", "over which the learning rate rises from 0 [0]");
    add_own(*app, "--warmup-ratio", "RATIO", "the same as a share of all steps");
    add_own(*app, "--evaluation-data", "FILE", "what the model is scored by");
    add_own(*app, "--evaluation-share", "RATIO", "keep that share of the data back and score by it");
    add_own(*app, "--evaluation-steps", "N", "steps between two scores [an epoch]");
    add_own(*app, "--checkpoint-steps", "N", "steps between two checkpoints, besides those at scores");
    add_own(*app, "--keep", "N", "checkpoints kept [2]");
    add_own(*app, "--patience", "N", "end after N scores in a row that are no better [never]");
    describe_values(*app->add_option("--format", format_, "of the summary: table or json [table]"), "FORMAT",
                    {{"table", "json"}});
    add_settings(*app, kWorkerSettings);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    if (format_ != "table" && format_ != "json") throw unknown_value("format", format_, {"table", "json"});
    FineTuneJob job = resumed_.empty() ? new_job(context, interrupt) : resumed_job();
    job.worker = find_worker(context, texts_.at("worker"));
    job.worker_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(parsed("worker_timeout").get<double>()));
    job.interrupt = &interrupt;
    FinetuneProgress progress(context.clock, stderr);
    const Json summary = finetune(context, job, [&](const Json& event) { progress.tell(event); });
    write_standard_output(format_ == "json" ? summary.dump(2) + "\n" : finetune_summary_text(summary));
    return kExitOk;
  }

 private:
  void add_settings(CLI::App& app, std::span<const char* const> names) {
    for (const char* name : names) {
      const SettingTerm& term = setting_term(name);
      texts_[name] = initial_of(term);
      CLI::Option* option = app.add_option(flag_of(name), texts_[name], help_of(term));
      describe_values(*option, term);
      if (std::string_view(name) != "worker" && std::string_view(name) != "worker_timeout") fixed_.push_back(option);
    }
  }

  void add_own(CLI::App& app, const char* flag, const char* placeholder, const char* help) {
    CLI::Option* option = app.add_option(flag, own_[flag], help);
    describe_values(*option, placeholder);
    fixed_.push_back(option);
  }

  Json parsed(const std::string& name) const { return parse_setting(setting_term(name), texts_.at(name)); }
  const std::string& own(const char* flag) const { return own_.at(flag); }

  // What a fine-tuning was begun with is what it goes on with.
  FineTuneJob resumed_job() const {
    for (const CLI::Option* option : fixed_) {
      if (option->count() == 0) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} cannot be changed on the way: --resume goes on with the settings of {}/finetune.json",
                              option->get_name(), resumed_));
    }
    return stored_finetune(resumed_);
  }

  FineTuneJob new_job(const Context& context, const std::atomic<bool>& interrupt) const {
    FineTuneJob job;
    for (const auto& [name, text] : texts_) {
      if (text.empty() || name == "worker" || name == "worker_timeout") continue;
      job.settings[name] = parsed(name);
    }
    for (const char* required : {"model", "data"}) {
      if (!job.settings.contains(required)) throw Error(ErrorKind::kBadInput, fmt::format("--{} is missing", required));
    }
    check_settings(job.settings);
    job.settings["model"] = pinned_hub_model(context, interrupt, job.settings.at("model").get<std::string>());
    job.settings["scenario"] = "finetune";
    job.settings.update(fastest_settings());
    job.options = options();
    return job;
  }

  static void check_settings(const Json& settings) {
    const auto task = settings.at("task").get<std::string>();
    if (task == "embedding" || task == "auto") {
      throw bad_value("task", task,
                      "sequence_classification, token_classification, question_answering, masked_lm or causal_lm");
    }
    const bool is_fixed = settings.at("sequence_length").is_number();
    if (task == "causal_lm" && !is_fixed) {
      throw bad_value("sequence_length", "natural", "a number, of tokens in a row, for task causal_lm");
    }
    if (settings.at("data") == "synthetic") {
      throw bad_value("data", "synthetic", "a file or bundled",
                      "`transformeter train` measures steps over random tokens.");
    }
  }

  FineTuneOptions options() const {
    FineTuneOptions options;
    if (own("--output").empty()) throw Error(ErrorKind::kBadInput, "--output is missing: where the model goes");
    options.output = own("--output");
    const auto given = [&](const char* flag) { return !own(flag).empty(); };
    if (given("--epochs") && given("--steps"))
      throw Error(ErrorKind::kBadInput, "--epochs and --steps exclude each other");
    if (given("--warmup-steps") && given("--warmup-ratio")) {
      throw Error(ErrorKind::kBadInput, "--warmup-steps and --warmup-ratio exclude each other");
    }
    if (given("--evaluation-data") && given("--evaluation-share")) {
      throw Error(ErrorKind::kBadInput, "--evaluation-data and --evaluation-share exclude each other");
    }
    constexpr double kMostEpochs = 1e6;
    if (given("--epochs")) options.epochs = number_of("epochs", own("--epochs"), 0, kMostEpochs);
    if (given("--steps")) options.steps = count_of("steps", own("--steps"), 1);
    if (given("--schedule")) options.schedule = own("--schedule");
    const std::vector<std::string> schedules = {"constant", "linear", "cosine"};
    if (std::find(schedules.begin(), schedules.end(), options.schedule) == schedules.end()) {
      throw unknown_value("schedule", options.schedule, schedules);
    }
    if (given("--warmup-steps")) options.warmup_steps = count_of("warmup_steps", own("--warmup-steps"), 0);
    if (given("--warmup-ratio")) options.warmup_ratio = number_of("warmup_ratio", own("--warmup-ratio"), 0, 1);
    options.evaluation_data = own("--evaluation-data");
    if (given("--evaluation-share")) {
      constexpr double kMostKept = 0.9;
      options.evaluation_share = number_of("evaluation_share", own("--evaluation-share"), 0, kMostKept);
    }
    if (given("--evaluation-steps"))
      options.evaluation_steps = count_of("evaluation_steps", own("--evaluation-steps"), 1);
    if (given("--checkpoint-steps"))
      options.checkpoint_steps = count_of("checkpoint_steps", own("--checkpoint-steps"), 1);
    if (given("--keep")) options.kept_checkpoints = count_of("keep", own("--keep"), 1);
    if (given("--patience")) {
      if (!given("--evaluation-data") && !given("--evaluation-share")) {
        throw Error(ErrorKind::kBadInput, "--patience counts scores: give --evaluation-data or --evaluation-share");
      }
      options.patience = count_of("patience", own("--patience"), 1);
    }
    return options;
  }

  std::string resumed_;
  std::map<std::string, std::string> texts_;  // stable addresses: the options are bound to them
  std::map<std::string, std::string> own_;
  std::vector<const CLI::Option*> fixed_;  // by what a fine-tuning begins with
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_finetune_command() {
  return std::make_unique<FinetuneCommand>();
}

}  // namespace transformeter
