// `transformeter predict`: what a model answers to texts.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/prediction_output.h"
#include "cli/standard_output.h"
#include "data/prediction_task.h"
#include "run/identity.h"
#include "run/launcher.h"
#include "run/predict.h"
#include "run/workload_settings.h"
#include "spec/presets.h"
#include "spec/script_inputs.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter predict --model my-classifier/ --text "a great film" "dull"
      a line of JSON for each text: index, text, label, score, logits
  transformeter predict --model all-MiniLM-L6-v2/ --task embedding \
    --data sst2/dev.tsv -o embeddings.jsonl
  transformeter predict --model my-squad-model/ --task question_answering \
    --text "Who wrote it?" --text-pair "Ann wrote it in 1987."
  transformeter predict --model my-squad-model/ --task question_answering \
    --data dev-v1.1.json --format predictions -o answers.json
      what `transformeter score --predictions answers.json` reads
  transformeter predict --model my-ner-model/ --task token_classification \
    --data test.conll --format table --precision bf16

Answers come in the order of the inputs, the first as soon as they are there. docs/predict.md has the fields.)";

// Settings of `run` with one value each.
constexpr const char* kColumns[] = {"text_column", "text_pair_column", "label_column", "labels", "split"};
constexpr const char* kModelSettings[] = {"model",   "task",         "batch_size", "precision", "attention",
                                          "threads", "memory_limit", "device",     "seed"};
constexpr const char* kOptionalSettings[] = {"pooling", "inputs"};
constexpr const char* kWorkerSettings[] = {"worker_timeout", "worker"};
constexpr std::int64_t kLargestBatch = 1024;  // answers travel in one message for each batch
constexpr std::int64_t kMostFillings = 100;
constexpr std::int64_t kMostNewTokens = 1 << 20;
constexpr int kMostTexts = 100'000;

std::string initial_of(const SettingTerm& term) {
  if (term.name == "batch_size") return "32";
  if (term.name == "precision") return "fp32";
  return std::string(term.initial);
}

std::string help_of(const SettingTerm& term) {
  if (term.name == "precision") return "number format of weights and activations [fp32]";
  std::string text(term.help);
  if (term.name == "task") text += fmt::format(": {}", fmt::join(predicted_tasks(), ", "));
  if (const std::string initial = initial_of(term); !initial.empty()) text += fmt::format(" [{}]", initial);
  return text;
}

void describe(CLI::Option& option, const SettingTerm& term) {
  OptionValues values;
  values.words = term.name == "task" ? predicted_tasks() : setting_words(term);
  if (term.name == "model") values.words = preset_names();
  describe_values(option, term.placeholder, std::move(values));
}

class PredictCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("predict", "show what a model answers to texts");
    add_settings(*app, kModelSettings);
    describe_values(*app->add_option("--data", data_, "a data set: CSV, TSV, JSON Lines, SQuAD, CoNLL or text"),
                    "FILE");
    add_settings(*app, kColumns);
    add_texts(*app, "--text", inputs_, "the texts themselves, in place of --data");
    add_texts(*app, "--text-pair", pairs_, "the second text of each: of a question its context");
    max_length_option_ = app->add_option("--max-length", max_length_, "tokens of a row, if fewer than the model holds");
    describe_values(*max_length_option_, "N");
    describe_values(
        *only_for("question_answering",
                  app->add_option("--stride", options_.stride,
                                  "question answering: tokens that the windows of a long context share [128]")),
        "N");
    only_for("question_answering",
             app->add_flag(
                 "--allow-no-answer", options_.allow_no_answer,
                 "question answering: an answer may be empty, as in SQuAD v2.0; data with such questions implies it"));
    describe_values(
        *only_for("masked_lm", app->add_option("--top-k", options_.top_k, "masked_lm: fillings of each mask [5]")),
        "N");
    describe_values(
        *only_for("causal_lm", app->add_option("--max-new-tokens", options_.max_new_tokens,
                                               "causal_lm: of a generated text, each the likeliest next one [20]")),
        "N");
    add_settings(*app, kOptionalSettings);
    add_settings(*app, kWorkerSettings);
    add_format_option(*app, format_, prediction_formats());
    describe_values(*app->add_option("-o,--output", output_, "the file to write, - for standard output [-]"), "PATH");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, prediction_formats());
    check_options();
    PredictJob job;
    job.settings = settings();
    const std::string model = pinned_hub_model(context, interrupt, job.settings.at("model").get<std::string>());
    job.settings["model"] = model;
    const auto task = job.settings.at("task").get<std::string>();
    const PredictionInputs inputs = data_.empty() ? typed_inputs() : load_prediction_inputs(data_, task, columns());
    check_interrupt(interrupt);
    Describer describer(context.data_directory);
    describer.check_task(model, task);
    job.options = options_;
    if (max_length_option_->count() > 0) job.options.max_length = max_length_;
    job.options.allow_no_answer = options_.allow_no_answer || inputs.has_unanswerable;
    job.worker = find_worker(context, texts_["worker"]);
    job.worker_timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(parsed("worker_timeout").get<double>() * 1000));
    job.interrupt = &interrupt;
    Json data;
    if (!data_.empty()) data = {{"file", data_}, {"sha256", inputs.sha256}};
    if (is_preset(model)) {
      context.log(LogLevel::kWarning,
                  fmt::format("the weights of preset '{}' are seeded random: its answers mean nothing", model));
    }
    write(context, job, {inputs, task, describer.model(model).identity, std::move(data)});
    return kExitOk;
  }

 private:
  void add_settings(CLI::App& app, std::span<const char* const> names) {
    for (const char* name : names) {
      const SettingTerm& term = setting_term(name);
      texts_[name] = initial_of(term);
      describe(*app.add_option(flag_of(name), texts_[name], help_of(term)), term);
    }
  }

  // CLI11's unlimited lists would take "[MASK]" for a list of its own.
  static void add_texts(CLI::App& app, const char* name, std::vector<std::string>& texts, const char* help) {
    CLI::Option* option = app.add_option(name, texts, help);
    option->expected(1, kMostTexts)->allow_extra_args(false);
    option->option_text("TEXT...");
  }

  Json parsed(const char* name) const { return parse_setting(setting_term(name), texts_.at(name)); }

  CLI::Option* only_for(const char* task, CLI::Option* option) {
    task_options_.emplace_back(task, option);
    return option;
  }

  // An option that the task has no use for would do nothing.
  void check_task_options() const {
    const std::string& asked = texts_.at("task");
    for (const auto& [task, option] : task_options_) {
      if (option->count() == 0 || asked == task) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} is for --task {}, not for {}", option->get_name(), task, asked));
    }
  }

  void check_options() const {
    const auto check = [](const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
      if (value >= low && value <= high) return;
      throw bad_value(what, std::to_string(value), fmt::format("a whole number from {} to {}", low, high));
    };
    check("stride", options_.stride, 0, 1 << 20);
    check("top-k", options_.top_k, 1, kMostFillings);
    check("max-new-tokens", options_.max_new_tokens, 1, kMostNewTokens);
    check("batch size", parsed("batch_size").get<std::int64_t>(), 1, kLargestBatch);
    check_task_options();
    if (data_.empty() == inputs_.empty()) {
      throw Error(ErrorKind::kBadInput, "predict takes either --data FILE or --text TEXT...");
    }
    if (!data_.empty() && !pairs_.empty()) {
      throw Error(ErrorKind::kBadInput,
                  "--text-pair belongs to --text; a data file's second texts are found by "
                  "--text-pair-column");
    }
    if (!pairs_.empty() && pairs_.size() != inputs_.size()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("there are {} second texts for {} texts", pairs_.size(), inputs_.size()));
    }
  }

  // What the worker is told.
  Json settings() const {
    Json settings = {{"attention_mask", "on"}};
    for (const char* name : kModelSettings) settings[name] = parsed(name);
    const bool is_script = is_script_file(settings.at("model").get<std::string>());
    if (is_script) settings["inputs"] = kDefaultScriptInputs;
    if (is_script && settings.at("attention") != "sdpa") throw Error(ErrorKind::kUnsupported, kScriptAttention);
    const std::pair<const char*, bool> conditions[] = {{"pooling", settings.at("task") == "embedding"},
                                                       {"inputs", is_script}};
    for (const auto& [name, applies] : conditions) {
      if (texts_.at(name).empty()) continue;
      if (!applies) throw Error(ErrorKind::kBadInput, fmt::format("{} does not apply to this model and task", name));
      settings[name] = parsed(name);
    }
    return settings;
  }

  DataOptions columns() const {
    Json chosen = Json::object();
    for (const char* name : kColumns) chosen[name] = texts_.at(name);
    return data_options(chosen);
  }

  PredictionInputs typed_inputs() const {
    if (columns().any()) throw Error(ErrorKind::kBadInput, "columns are chosen of a data file; give one with --data");
    PredictionInputs result;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      PredictionInput input{inputs_[i], {}, {}};
      if (!pairs_.empty()) input.text_pair = pairs_[i];
      for (const std::string* text : {&inputs_[i], pairs_.empty() ? nullptr : &pairs_[i]}) {
        if (text == nullptr) continue;
        if (const auto byte = first_invalid_utf8(*text)) {
          throw Error(ErrorKind::kBadInput,
                      fmt::format("input {} (from 0): the text is not valid UTF-8 at byte {}", i, *byte));
        }
      }
      result.inputs.push_back(std::move(input));
    }
    return result;
  }

  void write(const Context& context, const PredictJob& job, const PredictionSubject& subject) const {
    const bool to_stdout = output_ == "-" || is_standard_output(output_);
    std::optional<AtomicFile> file;
    if (!to_stdout) file.emplace(output_);
    const std::unique_ptr<PredictionOutput> output =
        make_prediction_output(format_, subject, [&](std::string_view text) {
          check_interrupt(*job.interrupt);
          if (file) {
            file->write(text);
          } else {
            write_standard_output(text);
          }
        });
    predict(context, job, subject.inputs.inputs, *output);
    output->finish();
    if (file) file->commit();
  }

  std::map<std::string, std::string> texts_;  // stable addresses: the options are bound to them
  std::string data_;
  std::vector<std::string> inputs_;
  std::vector<std::string> pairs_;
  PredictionOptions options_;
  std::int64_t max_length_ = 0;
  std::vector<std::pair<const char*, CLI::Option*>> task_options_;
  CLI::Option* max_length_option_ = nullptr;
  std::string format_;
  std::string output_ = "-";
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<PredictCommand>();
}

}  // namespace transformeter
