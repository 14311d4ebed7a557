// `transformeter finetune`: trains a model and writes a folder that other tools can load.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/finetune_progress.h"
#include "cli/hub_connection.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "run/finetune.h"
#include "run/launcher.h"
#include "run/workload_settings.h"
#include "schema/scenario.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "schema/task.h"
#include "spec/presets.h"
#include "tasks/training_rows.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter finetune --model all-MiniLM-L6-v2/ --data sst2/train.tsv \\\n    --evaluation-data sst2/dev.tsv "
     "--epochs 1 --output my-classifier"},
    {"transformeter finetune --model my-bert/ --task question_answering \\\n    --data dev-v1.1.json "
     "--evaluation-share "
     "0.1 --sequence-length 384 \\\n    --batch-size 16 --output my-reader"},
    {"transformeter finetune --model my-bert/ --task multi_label_classification \\\n    --data emotions.jsonl "
     "--evaluation-share 0.1 --output my-labeller",
     "emotions.jsonl: {\"text\": \"...\", \"labels\": [\"joy\", \"love\"]} per line"},
    {"transformeter finetune --model my-gpt2/ --task causal_lm --data input.txt \\\n    --sequence-length 256 --steps "
     "500 --output my-writer"},
    {"transformeter finetune --model my-t5/ --task seq2seq_lm --data news.csv \\\n    --evaluation-share 0.1 "
     "--max-length 512 --output my-summarizer",
     "news.csv: columns document and summary, or text and target, ...; others: --text-column, --label-column"},
    {"transformeter finetune --model my-vit/ --task image_classification \\\n    --data photos/train --evaluation-data "
     "photos/test --output my-sorter",
     "photos/train: a folder with a folder of JPEG or PNG files for each class"},
    {"transformeter finetune --model my-wav2vec2/ --task speech_recognition \\\n    --data train.tsv --evaluation-data "
     "dev.tsv --output my-recognizer",
     "train.tsv: columns path and transcript; paths of WAV, FLAC or Ogg files"},
    {"transformeter finetune --model my-clip/ --task contrastive_image_text \\\n    --data captions.csv "
     "--evaluation-share 0.1 --output my-finder",
     "captions.csv: columns image and caption; paths of JPEG or PNG files"},
    {"transformeter finetune --model my-llama/ --task causal_lm --data input.txt \\\n    --sequence-length 256 "
     "--lora-rank "
     "8 --learning-rate 2e-4 --output my-adapter",
     "LoRA: my-adapter/best is for PeftModel.from_pretrained; with --merge-adapter it is a whole model"},
    {"transformeter finetune --resume my-classifier", "continue from the newest intact checkpoint"},
};
constexpr const char* kNotes[] = {
    "OUTPUT/best is a folder that Hugging Face Transformers, `transformeter predict` and `transformeter push` read, or "
    "with --lora-rank one that Hugging Face PEFT reads, unless --merge-adapter is given; "
    "OUTPUT/log.jsonl has one line per step and score. docs/finetune.md has the details.",
    "Exit codes: 0 done, 1 training failed (checkpoints are kept), 3 bad input, 130 interrupted (work after the newest "
    "checkpoint is lost).",
};

// Settings of `run` with one value each, and those of the worker's program.
std::vector<const SettingTerm*> settings_of_finetune(bool is_of_worker) {
  std::vector<const SettingTerm*> terms;
  for (const SettingTerm& term : setting_terms()) {
    if (term.commands.finetune && (term.group == SettingGroup::kRun) == is_of_worker) terms.push_back(&term);
  }
  return terms;
}

// The aim is the model, not a figure to compare: what engine fast chooses for training, with batching as asked.
Json fastest_settings(const Json& precision) {
  const bool keeps_memory = precision != "bf16_autocast";
  return {{"engine", "fast"},
          {"fusion", "fused"},
          {"head_tokens", "needed"},
          {"weights", "plain"},
          {"allocator", keeps_memory ? "glibc_raised" : "glibc"},
          {"huge_pages", keeps_memory ? "preferred" : "system"}};
}

// Defaults that suit training better than those of `run`.
std::string initial_of(const SettingTerm& term) {
  static const std::map<std::string_view, std::string> kOwn = {
      {"task", std::string(name_of(Task::kSequenceClassification))},
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

// The words of `run` that a fine-tuning supports.
std::vector<std::string> words_of(const SettingTerm& term) {
  if (term.name == "task") return trained_tasks();
  if (term.name == "precision") return trained_precisions();
  return setting_words(term);
}

// Where a fine-tuning differs from what the table tells `run`.
OptionDeclaration option_of(const SettingTerm& term, std::optional<std::string>& target) {
  static const std::map<std::string_view, const char*> kHelp = {
      {"task", "what to train the model for"},
      {"learning_rate", "peak learning rate, scaled by the schedule"},
      {"precision", "number format; bf16_autocast and fp16 keep weights in fp32; auto: fp32"},
      {"data", "data set: file (CSV, JSON Lines, Parquet, SQuAD, text), folder, org/name on the Hub, or bundled"},
      {"batching", "bucketed: batches of similar lengths; packed: rows without padding"},
      {"limit", "examples to train on (a seeded draw)"},
      {"split", "split of --data to train on, if it has several"}};
  OptionDeclaration option = setting_option(term, &target);
  option.initial = initial_of(term);
  if (term.kind == SettingKind::kChoice) option.words = words_of(term);
  if (const auto own = kHelp.find(term.name); own != kHelp.end()) option.help = own->second;
  if (term.name == "data") option.placeholder = "FILE|DIR|NAME|bundled";
  if (term.name == "task") option.is_common = true;
  return option;
}

// Options that are not settings. Their defaults are those of FineTuneOptions.
struct OwnOption {
  const char* name;
  const char* placeholder;
  const char* group;
  bool is_common;
  const char* initial;
  const char* help;
};

constexpr const char* kTraining = "training";
constexpr const char* kEvaluation = "evaluation";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kOutput = "output";
const std::vector<std::string> kFormats{"table", "json"};

constexpr OwnOption kOwnOptions[] = {
    {"--epochs", "N", kTraining, true, "3", "passes over the data, e.g. 3 or 0.5"},
    {"--steps", "N", kTraining, false, "", "optimizer steps to take, instead of --epochs"},
    {"--schedule", "constant|linear|cosine", kTraining, false, "linear", "learning rate schedule"},
    {"--warmup-steps", "N", kTraining, false, "0", "steps over which the learning rate rises from 0"},
    {"--warmup-ratio", "RATIO", kTraining, false, "", "the same as a share of all steps, instead of --warmup-steps"},
    {"--evaluation-data", "FILE|DIR|NAME", kEvaluation, true, "", "data set to score the model on, as --data"},
    {"--evaluation-share", "RATIO", kEvaluation, true, "", "share of --data to hold out and score the model on"},
    {"--evaluation-split", "SPLIT", kEvaluation, false, "", "split of --evaluation-data, if it has several"},
    {"--evaluation-steps", "N", kEvaluation, false, "", "steps between scores; default: one epoch"},
    {"--patience", "N", kEvaluation, false, "", "stop after N scores in a row without improvement; default: never"},
    {"--checkpoint-steps", "N", kCheckpoints, false, "", "steps between checkpoints, beside those at scores"},
    {"--checkpoint-minutes", "N|none", kCheckpoints, false, "5", "maximum minutes between checkpoints"},
    {"--keep", "N", kCheckpoints, false, "2", "number of checkpoints to keep"},
    {"--output", "DIR", kOutput, true, "", "folder for the best model, checkpoints and log"},
};

std::int64_t count_of(const char* what, const std::string& text, std::int64_t least) {
  const auto number = parse_integer(text);
  if (number && *number >= least) return *number;
  throw bad_value(what, text, fmt::format("a whole number of at least {}", least));
}

double number_of(const char* what, const std::string& text, double above, double most) {
  const auto number = parse_number(text);
  if (number && *number > above && *number <= most) return *number;
  throw bad_value(what, text, fmt::format("a number above {} and up to {}", above, most));
}

// The newest checkpoint is kept; what ended the training may happen again.
std::string advice_after(const Error& error, const std::string& output) {
  const bool would_come_again = error.kind() == ErrorKind::kDiverged || error.kind() == ErrorKind::kBadInput ||
                                error.kind() == ErrorKind::kUnsupported;
  return would_come_again ? fmt::format("checkpoints stay in {}; other settings need another --output", output)
                          : fmt::format("continue with: transformeter finetune --resume {}", output);
}

class FinetuneCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration command{.name = "finetune",
                               .task = CommandTask::kTraining,
                               .summary = "fine-tune a model on a data set, with scores, checkpoints and resume",
                               .examples = kExamples,
                               .notes = kNotes};
    std::vector<OptionDeclaration>& options = command.options;
    for (const bool is_of_worker : {false, true}) {
      for (const SettingTerm* term : settings_of_finetune(is_of_worker)) {
        options.push_back(option_of(*term, texts_[std::string(term->name)]));
      }
    }
    for (const OwnOption& one : kOwnOptions) {
      options.push_back({.names = {one.name},
                         .target = &own_[one.name],
                         .placeholder = one.placeholder,
                         .help = one.help,
                         .initial = one.initial,
                         .group = one.group,
                         .is_common = one.is_common});
    }
    options.push_back({.names = {"--merge-adapter"},
                       .target = &merges_adapter_,
                       .help = "write OUTPUT/best as a whole model, with LoRA's adapters added to its weights",
                       .group = kOutput});
    options.push_back({.names = {"--resume"},
                       .target = &resumed_,
                       .placeholder = "DIR",
                       .help = "continue the fine-tuning in this output folder",
                       .group = kCheckpoints});
    options.push_back(format_option(format_, kFormats));
    options.back().help = "format of the summary";
    options.back().group = kOutput;
    options.back().is_common = false;
    sort_by_topic(options);
    return command;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    FineTuneJob job = resumed_.empty() ? new_job(context, interrupt) : resumed_job(interrupt);
    job.worker = find_worker(context, text_of("worker"));
    job.worker_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(parsed("worker_timeout").get<double>()));
    job.interrupt = &interrupt;
    bool has_begun = job.options.resumes;
    Json summary;
    try {
      summary = with_progress(context, job, has_begun);
    } catch (const Error& error) {
      if (!has_begun) throw;
      context.log(LogLevel::kInfo, advice_after(error, job.options.output));
      // A disk that fills up meanwhile is a fault of the run, whichever file meets it first.
      if (error.kind() != ErrorKind::kEnvironment) throw;
      context.log(LogLevel::kInfo, error.what());
      return kExitFault;
    }
    write_standard_output(format_ == "json" ? summary.dump(2) + "\n" : finetune_summary_text(summary));
    return kExitOk;
  }

 private:
  static Json with_progress(const Context& context, const FineTuneJob& job, bool& has_begun) {
    FinetuneProgress progress(context.clock, stderr);
    Json summary = finetune(context, job, [&](const Json& event) {
      has_begun = has_begun || event.at("event") == "step";
      progress.tell(event);
    });
    progress.end();
    return summary;
  }

  bool is_given(const std::string& setting) const { return texts_.at(setting).has_value(); }
  /// As given, or the default; empty for none.
  std::string text_of(const std::string& setting) const {
    return texts_.at(setting).value_or(initial_of(setting_term(setting)));
  }
  Json parsed(const std::string& setting) const { return parse_setting(setting_term(setting), text_of(setting)); }
  bool given(const char* flag) const { return own_.at(flag).has_value(); }
  std::string own(const char* flag) const { return own_.at(flag).value_or(""); }

  // A fine-tuning continues with the settings that it started with.
  FineTuneJob resumed_job(const std::atomic<bool>& interrupt) const {
    const auto refuse = [&](const std::string& option) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} cannot be changed: --resume continues with the settings in {}/finetune.json", option,
                              resumed_));
    };
    for (const SettingTerm* term : settings_of_finetune(false)) {
      if (is_given(std::string(term->name))) refuse(flag_of(term->name));
    }
    for (const OwnOption& one : kOwnOptions) {
      if (given(one.name)) refuse(one.name);
    }
    if (merges_adapter_) refuse("--merge-adapter");
    return stored_finetune(resumed_, &interrupt);
  }

  FineTuneJob new_job(const Context& context, const std::atomic<bool>& interrupt) const {
    FineTuneJob job;
    const std::vector<std::string> tasks = words_of(setting_term("task"));
    const std::string task = typed_word(setting_term("task"), text_of("task")).value_or(text_of("task"));
    if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) {
      if (!find_task(task)) throw unknown_value("task", task, tasks);
      throw Error(ErrorKind::kBadInput,
                  fmt::format("finetune does not train task '{}'; allowed: {}.", task, fmt::join(tasks, ", ")));
    }
    for (const SettingTerm* term : settings_of_finetune(false)) {
      const std::string name(term->name);
      if (!text_of(name).empty()) job.settings[name] = parsed(name);
    }
    for (const char* required : {"model", "data"}) {
      if (!job.settings.contains(required)) throw Error(ErrorKind::kBadInput, fmt::format("--{} is missing", required));
    }
    job.settings["scenario"] = Scenario::kFinetune;
    const Case asked = case_from(job.settings);
    check_settings(asked);
    check_adapter(asked);
    std::vector<std::string> given_settings;
    for (const auto& [name, text] : texts_) {
      if (text) given_settings.push_back(name);
    }
    check_finetune_use(asked, given_settings);
    // Rows of a fixed length are alike: there is nothing to group.
    if (asked.has_fixed_length() && !is_given("batching")) job.settings["batching"] = "padded";
    // Settings of texts do not apply to images and sounds, whatever their defaults.
    if (modality_of(asked.task) != Modality::kText) drop_unused_settings(job.settings);
    job.settings["model"] = pinned_hub_model(context, interrupt, asked.model);
    job.settings["data"] = pinned_hub_data(context, interrupt, asked.data, asked.split);
    job.settings.update(fastest_settings(job.settings.at("precision")));
    job.options = options();
    std::string& scored = job.options.evaluation_data;
    scored = pinned_hub_data(context, interrupt, scored, job.options.evaluation_split);
    return job;
  }

  static void check_settings(const Case& asked) {
    if (asked.task == Task::kCausalLm && !asked.has_fixed_length()) {
      throw bad_value("sequence_length", "natural", "a number of tokens per row, for task causal_lm");
    }
    check_batch_size(asked.task, asked.batch_size);
    if (lacks_bundled_data(asked)) {
      throw bad_value("data", kBundledData, data_for(asked.task), "The bundled data are sentences.");
    }
    if (asked.data == kSyntheticData) {
      throw bad_value("data", "synthetic", data_for(asked.task),
                      "To measure steps over random inputs, use `transformeter train`.");
    }
  }

  // The worker refuses what PEFT cannot load by its names.
  void check_adapter(const Case& asked) const {
    if (!asked.lora_rank && merges_adapter_) {
      throw Error(ErrorKind::kBadInput, "--merge-adapter needs an adapter: give --lora-rank");
    }
    if (!asked.lora_rank || merges_adapter_) return;
    if (is_preset(asked.model)) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("an adapter of '{}' would be of no use, since a preset's weights are "
                              "random: give a trained model, or --merge-adapter",
                              asked.model));
    }
  }

  void check_exclusive(const char* one, const char* other) const {
    if (given(one) && given(other)) {
      throw Error(ErrorKind::kBadInput, fmt::format("cannot combine {} with {}", one, other));
    }
  }

  FineTuneOptions options() const {
    FineTuneOptions options;
    if (!given("--output")) throw Error(ErrorKind::kBadInput, "--output is missing: the folder for the model");
    options.output = own("--output");
    options.merges_adapter = merges_adapter_;
    check_exclusive("--epochs", "--steps");
    check_exclusive("--warmup-steps", "--warmup-ratio");
    constexpr double kMaxEpochs = 1e6;
    if (given("--epochs")) options.epochs = number_of("epochs", own("--epochs"), 0, kMaxEpochs);
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
      throw Error(ErrorKind::kBadInput, "--evaluation-split needs a file: give --evaluation-data");
    }
    if (given("--evaluation-share")) {
      constexpr double kMaxKept = 0.9;
      options.evaluation_share = number_of("evaluation_share", own("--evaluation-share"), 0, kMaxKept);
    }
    const bool is_scored = given("--evaluation-data") || given("--evaluation-share");
    for (const char* flag : {"--evaluation-steps", "--patience"}) {
      if (is_scored || !given(flag)) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} needs scores: give --evaluation-data or --evaluation-share", flag));
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
      constexpr double kMaxMinutes = 1e6;
      options.checkpoint_minutes = number_of("checkpoint_minutes", own("--checkpoint-minutes"), 0, kMaxMinutes);
    }
    if (given("--keep")) options.kept_checkpoints = count_of("keep", own("--keep"), 1);
  }

  std::string resumed_;
  bool merges_adapter_ = false;
  // Stable addresses: the options point to them.
  std::map<std::string, std::optional<std::string>> texts_;  // by setting
  std::map<std::string, std::optional<std::string>> own_;    // by option
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_finetune_command() {
  return std::make_unique<FinetuneCommand>();
}

}  // namespace transformeter
