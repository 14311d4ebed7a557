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
#include <vector>

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
#include "run/workload_settings.h"
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
  transformeter finetune --model my-gpt2/ --task causal_lm --data input.txt \
    --sequence-length 256 --steps 500 --output my-writer
  transformeter finetune --resume my-classifier
      goes on from the newest whole checkpoint, as if nothing had happened

OUTPUT/best is a folder that Hugging Face Transformers, transformeter predict and transformeter push read;
OUTPUT/log.jsonl has a line for each step and score. docs/finetune.md tells all.

Exit codes: 0 done, 1 the training failed (the reason is told, checkpoints stay), 3 bad input, 130 interrupted (what
came after the newest checkpoint is lost).)";

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

// What `run` takes and a fine-tuning does as well.
std::vector<std::string> words_of(const SettingTerm& term) {
  if (term.name == "task") {
    return {"sequence_classification", "token_classification", "question_answering", "masked_lm", "causal_lm"};
  }
  if (term.name == "precision") return {"auto", "fp32", "tf32", "bf16", "bf16_autocast", "fp16"};
  return setting_words(term);
}

// The table speaks to `run`, where a scenario has to be named.
std::string help_of(const SettingTerm& term) {
  std::string text(term.help);
  for (const std::string_view scenario : {"scenario train: ", "scenario train, "}) {
    if (text.starts_with(scenario)) text.erase(0, scenario.size());
  }
  if (term.name == "task") text = "what the model learns";
  if (term.name == "learning_rate") text = "the highest, of which the schedule takes its share";
  if (term.name == "precision") {
    text =
        "number format: fp32; bf16: weights and all else; bf16_autocast: weights in fp32, products in bf16; on a GPU "
        "also fp16 (as bf16_autocast, with the loss scaled) and tf32 (fp32 whose products round to 10 bits); auto: "
        "fp32";
  }
  if (term.name == "data")
    text = "data set: a file (CSV, TSV, JSON Lines, SQuAD, CoNLL, text) or the bundled sentences";
  if (term.kind == SettingKind::kChoice && term.name != "precision") {
    text += fmt::format("; one of {}", fmt::join(words_of(term), ", "));
  }
  if (term.name == "batching") text += "; where sequence_length is a number: padded";
  if (term.name == "limit") text = "examples learnt from, a seeded draw";
  if (term.name == "split") text = "split of --data to learn from, where it holds several";
  if (const std::string initial = initial_of(term); !initial.empty()) text += fmt::format(" [{}]", initial);
  return text;
}

void describe(CLI::Option& option, const SettingTerm& term) {
  OptionValues values;
  values.words = term.name == "model" ? preset_names() : words_of(term);
  describe_values(option, term.name == "data" ? "FILE|bundled" : term.placeholder, std::move(values));
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

// What came until the newest checkpoint is there; what made it end may come again.
std::string advice_after(const Error& error, const std::string& output) {
  const bool would_come_again = error.kind() == ErrorKind::kDiverged || error.kind() == ErrorKind::kBadInput ||
                                error.kind() == ErrorKind::kUnsupported;
  return would_come_again
             ? fmt::format("what was learnt until then stays in {}; other settings want another --output", output)
             : fmt::format("go on with: transformeter finetune --resume {}", output);
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
    add_own(*app, "--evaluation-split", "SPLIT", "split of --evaluation-data, where it holds several");
    add_own(*app, "--evaluation-share", "RATIO", "keep that share of the data back and score by it");
    add_own(*app, "--evaluation-steps", "N", "steps between two scores [an epoch]");
    add_own(*app, "--checkpoint-steps", "N", "steps between two checkpoints, besides those at scores");
    add_own(*app, "--checkpoint-minutes", "N|none", "minutes without a checkpoint after which one is written [5]");
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
    bool has_begun = job.options.resumes;
    Json summary;
    try {
      summary = told(context, job, has_begun);
    } catch (const Error& error) {
      if (!has_begun) throw;
      context.log(LogLevel::kInfo, advice_after(error, job.options.output));
      // A disk that fills on the way is a fault of the run, whichever file was the first to meet it.
      if (error.kind() != ErrorKind::kEnvironment) throw;
      context.log(LogLevel::kInfo, error.what());
      return kExitFault;
    }
    write_standard_output(format_ == "json" ? summary.dump(2) + "\n" : finetune_summary_text(summary));
    return kExitOk;
  }

 private:
  static Json told(const Context& context, const FineTuneJob& job, bool& has_begun) {
    FinetuneProgress progress(context.clock, stderr);
    Json summary = finetune(context, job, [&](const Json& event) {
      has_begun = has_begun || event.at("event") == "step";
      progress.tell(event);
    });
    progress.end();
    return summary;
  }

  void add_settings(CLI::App& app, std::span<const char* const> names) {
    for (const char* name : names) {
      const SettingTerm& term = setting_term(name);
      texts_[name] = initial_of(term);
      CLI::Option* option = app.add_option(flag_of(name), texts_[name], help_of(term));
      describe(*option, term);
      options_[name] = option;
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
    const std::vector<std::string> tasks = words_of(setting_term("task"));
    if (const std::string& task = texts_.at("task"); std::find(tasks.begin(), tasks.end(), task) == tasks.end()) {
      throw unknown_value("task", task, tasks);
    }
    for (const auto& [name, text] : texts_) {
      if (text.empty() || name == "worker" || name == "worker_timeout") continue;
      job.settings[name] = parsed(name);
    }
    for (const char* required : {"model", "data"}) {
      if (!job.settings.contains(required)) throw Error(ErrorKind::kBadInput, fmt::format("--{} is missing", required));
    }
    check_settings(job.settings);
    std::vector<std::string> given;
    for (const auto& [name, option] : options_) {
      if (option->count() > 0) given.push_back(name);
    }
    check_finetune_use(job.settings, given);
    // Rows of a fixed length are alike: there is nothing to group.
    const bool is_fixed = job.settings.at("sequence_length").is_number();
    if (is_fixed && options_.at("batching")->count() == 0) job.settings["batching"] = "padded";
    job.settings["model"] = pinned_hub_model(context, interrupt, job.settings.at("model").get<std::string>());
    job.settings["scenario"] = "finetune";
    job.settings.update(fastest_settings());
    job.options = options();
    return job;
  }

  static void check_settings(const Json& settings) {
    const auto task = settings.at("task").get<std::string>();
    const bool is_fixed = settings.at("sequence_length").is_number();
    if (task == "causal_lm" && !is_fixed) {
      throw bad_value("sequence_length", "natural", "a number, of tokens in a row, for task causal_lm");
    }
    if (settings.at("data") == "synthetic") {
      throw bad_value("data", "synthetic", "a file or bundled",
                      "`transformeter train` measures steps over random tokens.");
    }
  }

  bool given(const char* flag) const { return !own(flag).empty(); }

  void check_exclusive(const char* one, const char* other) const {
    if (given(one) && given(other)) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} and {} exclude each other", one, other));
    }
  }

  FineTuneOptions options() const {
    FineTuneOptions options;
    if (!given("--output")) throw Error(ErrorKind::kBadInput, "--output is missing: where the model goes");
    options.output = own("--output");
    check_exclusive("--epochs", "--steps");
    check_exclusive("--warmup-steps", "--warmup-ratio");
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
    read_scoring(options);
    read_checkpoints(options);
    return options;
  }

  void read_scoring(FineTuneOptions& options) const {
    check_exclusive("--evaluation-data", "--evaluation-share");
    options.evaluation_data = own("--evaluation-data");
    options.evaluation_split = own("--evaluation-split");
    if (given("--evaluation-split") && !given("--evaluation-data")) {
      throw Error(ErrorKind::kBadInput, "--evaluation-split is of another file: give --evaluation-data");
    }
    if (given("--evaluation-share")) {
      constexpr double kMostKept = 0.9;
      options.evaluation_share = number_of("evaluation_share", own("--evaluation-share"), 0, kMostKept);
    }
    const bool is_scored = given("--evaluation-data") || given("--evaluation-share");
    for (const char* flag : {"--evaluation-steps", "--patience"}) {
      if (is_scored || !given(flag)) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} is about scores: give --evaluation-data or --evaluation-share", flag));
    }
    if (given("--evaluation-steps")) {
      options.evaluation_steps = count_of("evaluation_steps", own("--evaluation-steps"), 1);
    }
    if (given("--patience")) options.patience = count_of("patience", own("--patience"), 1);
  }

  void read_checkpoints(FineTuneOptions& options) const {
    if (given("--checkpoint-steps")) {
      options.checkpoint_steps = count_of("checkpoint_steps", own("--checkpoint-steps"), 1);
    }
    if (own("--checkpoint-minutes") == "none") {
      options.checkpoint_minutes.reset();
    } else if (given("--checkpoint-minutes")) {
      constexpr double kMostMinutes = 1e6;
      options.checkpoint_minutes = number_of("checkpoint_minutes", own("--checkpoint-minutes"), 0, kMostMinutes);
    }
    if (given("--keep")) options.kept_checkpoints = count_of("keep", own("--keep"), 1);
  }

  std::string resumed_;
  std::map<std::string, std::string> texts_;  // stable addresses: the options are bound to them
  std::map<std::string, std::string> own_;
  std::map<std::string, const CLI::Option*> options_;  // by setting
  std::vector<const CLI::Option*> fixed_;              // by what a fine-tuning begins with
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_finetune_command() {
  return std::make_unique<FinetuneCommand>();
}

}  // namespace transformeter
