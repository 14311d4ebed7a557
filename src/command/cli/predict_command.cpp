// `transformeter predict`: a model's answers to texts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/generated_text_options.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/prediction_output.h"
#include "cli/score_text.h"
#include "cli/standard_output.h"
#include "run/identity.h"
#include "run/launcher.h"
#include "run/model_task.h"
#include "run/predict.h"
#include "run/workload_settings.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "spec/architecture.h"
#include "spec/presets.h"
#include "spec/script_inputs.h"
#include "tasks/prediction_task.h"
#include "tasks/task_type.h"
#include "tasks/zero_shot.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter predict --model my-classifier/ --text \"a great film\" \"dull\"",
     "one line of JSON per text: index, text, label, score, logits"},
    {"transformeter predict --model all-MiniLM-L6-v2/ \\\n    --data sst2/dev.tsv -o embeddings.jsonl",
     "one embedding per text, since that is what this model was saved for"},
    {"transformeter predict --model my-squad-model/ \\\n    --text \"Who wrote it?\" --text-pair \"Ann wrote it in "
     "1987.\""},
    {"transformeter predict --model my-squad-model/ \\\n    --data dev-v1.1.json --format "
     "predictions -o answers.json",
     "a file for `transformeter score --predictions answers.json`"},
    {"transformeter predict --model my-ner-model/ \\\n    --data test.conll --format table --precision bf16"},
    {"transformeter predict --model flan-t5-small/ --num-beams 4 \\\n    --no-repeat-ngram-size 3 --max-new-tokens 60 "
     "--text \"summarize: ...\"",
     "the text with the best score that four beams find"},
    {"transformeter predict --model clip-vit-base-patch32/ --image cat.jpg \\\n    --task "
     "zero-shot-image-classification "
     "--labels cat,dog",
     "the class whose text, \"a photo of a cat\" or \"a photo of a dog\", fits best"},
    {"transformeter predict --model wav2vec2-base-960h/ --audio speech.wav", "what is said in the file"},
    {"transformeter predict --model wav2vec2-base-960h/ \\\n    --data speech.tsv --format table",
     "of each file in the column 'path', counted from the table's folder"},
};
constexpr const char* kNotes[] = {
    "Answers keep the order of the inputs and are printed as soon as they are ready. docs/predict.md describes the "
    "fields.",
};

// Settings of `run` with one value each. Those without a default are told to the worker where they are given.
enum class Kind { kColumn, kModel, kOptional, kWorker };

Kind kind_of(const SettingTerm& term) {
  if (term.group == SettingGroup::kRun) return Kind::kWorker;
  if (term.topic == SettingTopic::kWorkload && term.kind == SettingKind::kText) return Kind::kColumn;
  return term.initial.empty() ? Kind::kOptional : Kind::kModel;
}

std::vector<const SettingTerm*> settings_of_predict(Kind kind) {
  std::vector<const SettingTerm*> terms;
  for (const SettingTerm& term : setting_terms()) {
    if (term.commands.predict && kind_of(term) == kind) terms.push_back(&term);
  }
  return terms;
}

constexpr std::int64_t kLargestBatch = 1024;  // answers travel in one message for each batch
constexpr std::int64_t kMaxFillings = 100;
constexpr const char* kTaskGroup = "task";

constexpr std::string_view kOfTraining = "bf16_autocast";
constexpr std::string_view kFileForScore = "predictions";

std::string initial_of(const SettingTerm& term) {
  if (term.name == "batch_size") return "";  // it depends on the task
  if (term.name == "precision") return "fp32";
  return std::string(term.initial);
}

// Sounds are long, and lengths differ: a batch of them is padded to its longest. Transformers' pipelines have 1 too.
std::int64_t usual_batch_size(Task task) {
  return reads_audio(task) ? 1 : 32;
}

// As `run` has it, but for what answers need.
OptionDeclaration option_of(const SettingTerm& term, std::string& target) {
  OptionDeclaration option = setting_option(term, &target);
  option.initial = initial_of(term);
  if (term.name == "task") {
    option.words = task_names();
    option.words.emplace_back("auto");
    option.is_common = true;
  }
  if (term.name == "batch_size") option.help = "inputs per batch; default: 32, and 1 for sounds";
  if (term.name == "precision") {
    option.help = "number format of weights and activations";
    std::erase(option.words, kOfTraining);
  }
  return option;
}

// An output, how many answers it has got, and their score where the data say what is right.
class ScoredAnswers final : public PredictionSink {
 public:
  ScoredAnswers(PredictionSink& sink, const PredictionSubject& subject) : sink_(sink) {
    const auto make = task_type(subject.task).make_scorer;
    if (make != nullptr) scorer_ = make(subject.inputs);
  }
  void begin(const Json& effective) override { sink_.begin(effective); }
  void add(std::size_t index, const Prediction& prediction) override {
    if (scorer_ != nullptr) scorer_->add(index, prediction);
    sink_.add(index, prediction);
    ++count_;
  }
  std::size_t count() const { return count_; }
  std::optional<ScoreReport> report(const StopCheck& check) const {
    return scorer_ == nullptr ? std::nullopt : scorer_->report(check);
  }

 private:
  PredictionSink& sink_;
  std::unique_ptr<AnswerScorer> scorer_;
  std::size_t count_ = 0;
};

class PredictCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    CommandDeclaration command{.name = "predict",
                               .task = CommandTask::kModels,
                               .summary = "show a model's answers to texts, images or sounds",
                               .examples = kExamples,
                               .notes = kNotes};
    std::vector<OptionDeclaration>& options = command.options;
    add_inputs(options);
    add_settings(options, Kind::kColumn);
    add_settings(options, Kind::kModel);
    add_task_options(options);
    add_settings(options, Kind::kOptional);
    add_settings(options, Kind::kWorker);
    options.push_back(format_option(format_, prediction_formats()));
    options.back().group = name_of(SettingTopic::kOutput);
    options.push_back({.names = {"-o", "--output"},
                       .target = &output_,
                       .placeholder = "PATH",
                       .help = "file to write, - for standard output",
                       .initial = output_,
                       .group = std::string(name_of(SettingTopic::kOutput))});
    sort_by_topic(options);
    return command;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, prediction_formats());
    check_options();
    std::optional<Task> asked;  // nothing: auto
    if (const Json word = parsed("task"); word != "auto") asked = word.get<Task>();
    if (asked) check_task_options(*asked);
    const std::string model = pinned_hub_model(context, interrupt, parsed("model").get<std::string>());
    Describer describer(context.data_directory, builtin_architectures(), ModelUse::kAnswers);
    const Task task = asked ? *asked : guessed_task(model, describer);
    if (!asked) {
      warn_of_guess(context, describer.model(model), task);
      check_task_options(task);
    }
    const ModelConfig& config = describer.model(model).config;
    if (!reads(*config.architecture, modality_of(task))) describer.check_task(model, task);
    check_inputs(task);
    text_options_.check_beams(config.generation);
    PredictJob job;
    job.settings = settings(model, task);
    const FoundData found = find_data(context, interrupt, data_, columns().split);
    const PredictionInputs inputs = data_.empty() ? typed_inputs(task) : inputs_of(found.place, task);
    check_interrupt(interrupt);
    describer.check_task(model, task);
    warn_of_blanks(context, inputs.inputs);
    warn_of_unread(context, describer.model(model).config);
    if (is_zero_shot(task)) job.settings["labels"] = listed_classes(inputs);
    job.options = prediction_options(inputs.has_unanswerable);
    job.worker = find_worker(context, texts_["worker"]);
    job.worker_timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(parsed("worker_timeout").get<double>() * 1000));
    job.interrupt = &interrupt;
    Json data;
    if (!data_.empty()) data = {{"file", found.name}, {"sha256", inputs.sha256}};
    if (is_preset(model)) {
      context.log(LogLevel::kWarning,
                  fmt::format("preset '{}' has seeded random weights: its answers mean nothing", model));
    }
    write(context, job, {inputs, task, describer.model(model).identity, std::move(data)});
    return kExitOk;
  }

 private:
  void add_inputs(std::vector<OptionDeclaration>& options) {
    const std::string workload(name_of(SettingTopic::kWorkload));
    options.push_back(
        {.names = {"--data"},
         .target = &data_,
         .placeholder = "FILE|DIR|NAME",
         .help = "data set: CSV, TSV, JSON Lines, Parquet, SQuAD, CoNLL, text; images, sounds; or org/name on the Hub",
         .group = workload});
    options.push_back({.names = {"--text"},
                       .target = &inputs_,
                       .placeholder = "TEXT...",
                       .help = "texts to answer instead of --data",
                       .may_be_empty = true,
                       .takes_many = true,
                       .group = workload});
    options.push_back({.names = {"--text-pair"},
                       .target = &pairs_,
                       .placeholder = "TEXT...",
                       .help = "second text of each pair, e.g. the context of a question",
                       .may_be_empty = true,
                       .takes_many = true,
                       .group = workload});
    options.push_back({.names = {"--image"},
                       .target = &images_,
                       .placeholder = "FILE...",
                       .help = "JPEG or PNG files to answer, of models that read images",
                       .takes_many = true,
                       .group = workload});
    options.push_back({.names = {"--audio"},
                       .target = &sounds_,
                       .placeholder = "FILE...",
                       .help = "WAV, FLAC or Ogg files to answer, of models that read sounds",
                       .takes_many = true,
                       .group = workload});
    options.push_back({.names = {"--max-length"},
                       .target = &max_length_,
                       .placeholder = "N",
                       .help = "maximum tokens per row; default: what tokenizer and model can hold",
                       .group = workload});
  }

  // In the order of check_task_options.
  void add_task_options(std::vector<OptionDeclaration>& options) {
    const auto number = [&](const char* name, std::optional<std::int64_t>& target, std::int64_t initial,
                            const char* help) {
      options.push_back({.names = {name},
                         .target = &target,
                         .placeholder = "N",
                         .help = help,
                         .initial = std::to_string(initial),
                         .group = kTaskGroup,
                         .is_common = false});
    };
    const PredictionOptions initial;
    number("--stride", stride_, initial.stride, "question_answering: tokens shared by two windows of a long context");
    options.push_back({.names = {"--allow-no-answer"},
                       .target = &allow_no_answer_,
                       .help = "question_answering: allow empty answers; implied by data that has such questions",
                       .group = kTaskGroup,
                       .is_common = false});
    number("--top-k", top_k_, initial.top_k, "masked_lm: candidates per mask");
    text_options_.declare(options, kTaskGroup);
  }

  void add_settings(std::vector<OptionDeclaration>& options, Kind kind) {
    for (const SettingTerm* term : settings_of_predict(kind)) {
      std::string& text = texts_[std::string(term->name)];
      text = initial_of(*term);
      options.push_back(option_of(*term, text));
    }
  }

  Json parsed(const std::string& name) const { return parse_setting(setting_term(name), texts_.at(name)); }

  // An option that does not apply to the task would do nothing.
  void check_task_options(Task task) const {
    if (has_captions(task)) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("task {} is only trained; use the trained model with task {}, {} or {}", name_of(task),
                              name_of(Task::kZeroShotImageClassification), name_of(Task::kImageEmbedding),
                              name_of(Task::kEmbedding)));
    }
    const auto check = [&](const char* option, bool is_given, Task its_task) {
      if (!is_given || task == its_task) return;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{} is for --task {}, not for {}", option, name_of(its_task), name_of(task)));
    };
    check("--stride", stride_.has_value(), Task::kQuestionAnswering);
    check("--allow-no-answer", allow_no_answer_, Task::kQuestionAnswering);
    check("--top-k", top_k_.has_value(), Task::kMaskedLm);
    text_options_.check_task(task);
    check("--pooling", !texts_.at("pooling").empty(), Task::kEmbedding);
    const std::string initial(setting_term("prompt_template").initial);
    check("--prompt-template", texts_.at("prompt_template") != initial, Task::kZeroShotImageClassification);
    if (columns().labels.empty() || is_zero_shot(task)) return;
    if (!has_named_classes(task)) {
      throw Error(ErrorKind::kBadInput, fmt::format("--labels is for tasks with classes, not for {}", name_of(task)));
    }
    if (format_ != kFileForScore) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--labels names the classes of the data for --format {}; other formats show the model's "
                              "own names. Of all tasks zero-shot classification alone takes its classes from it",
                              kFileForScore));
    }
  }

  // A model of texts and images reads what is typed.
  Task guessed_task(const std::string& model, Describer& describer) const {
    const Architecture& architecture = *describer.model(model).config.architecture;
    if (has_two_towers(architecture) && !inputs_.empty()) return Task::kEmbedding;
    return columns().labels.empty() ? task_of_model(model, describer) : task_of_model_with_classes(model, describer);
  }

  void check_inputs(Task task) const {
    const auto refuse = [&](const char* option, const char* what, const char* instead) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} is for models that read {}, not for task {}; use {}", option,
                                                    what, name_of(task), instead));
    };
    const Modality modality = modality_of(task);
    const char* const instead = modality == Modality::kAudio   ? "--audio or --data"
                                : modality == Modality::kImage ? "--image or --data"
                                                               : "--text or --data";
    if (modality != Modality::kImage && !images_.empty()) refuse("--image", "images", instead);
    if (modality != Modality::kAudio && !sounds_.empty()) refuse("--audio", "sounds", instead);
    if (modality == Modality::kText) return;
    if (!inputs_.empty()) refuse("--text", "texts", instead);
    if (max_length_) throw Error(ErrorKind::kBadInput, "--max-length is for models that read texts");
  }

  PredictionOptions prediction_options(bool has_unanswerable) const {
    PredictionOptions options;
    options.max_length = max_length_;
    options.stride = stride_.value_or(options.stride);
    options.top_k = top_k_.value_or(options.top_k);
    text_options_.apply_to(options);
    options.allow_no_answer = allow_no_answer_ || has_unanswerable;
    return options;
  }

  // All that needs no model: one of the hub is not fetched for a command that is wrong.
  void check_options() const {
    parsed("worker_timeout");
    chosen(Kind::kModel);
    chosen(Kind::kOptional);
    const bool is_script = is_script_file(texts_.at("model"));
    if (!is_compiled_file(texts_.at("model")) && !texts_.at("inputs").empty()) {
      throw Error(ErrorKind::kBadInput, "--inputs is for TorchScript, ONNX and OpenVINO files");
    }
    if (is_script && texts_.at("attention") != "sdpa") throw Error(ErrorKind::kUnsupported, kScriptAttention);
    const auto check = [](const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
      if (value >= low && value <= high) return;
      throw bad_value(what, std::to_string(value), fmt::format("a whole number from {} to {}", low, high));
    };
    check_prompt_template(texts_.at("prompt_template"));
    if (texts_.at("precision") == kOfTraining) {
      throw bad_value("precision", kOfTraining, "a precision of forward passes, such as bf16", "It is for training.");
    }
    text_options_.check_values();
    const PredictionOptions options = prediction_options(false);
    check("stride", options.stride, 0, 1 << 20);
    check("top-k", options.top_k, 1, kMaxFillings);
    if (!texts_.at("batch_size").empty()) {
      check("batch size", parsed("batch_size").get<std::int64_t>(), 1, kLargestBatch);
    }
    const int kinds =
        (data_.empty() ? 0 : 1) + (inputs_.empty() ? 0 : 1) + (images_.empty() ? 0 : 1) + (sounds_.empty() ? 0 : 1);
    if (kinds != 1) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("predict needs --data FILE, --text TEXT..., --image FILE... or --audio FILE...{}",
                              kinds == 0 ? "" : ", and only one of them"));
    }
    if (!data_.empty() && !pairs_.empty()) {
      throw Error(ErrorKind::kBadInput, "--text-pair goes with --text; for a data file use --text-pair-column");
    }
    if (!pairs_.empty() && pairs_.size() != inputs_.size()) {
      throw Error(ErrorKind::kBadInput, fmt::format("--text-pair has {} but --text has {}; each text needs one",
                                                    counted(pairs_.size(), "text"), inputs_.size()));
    }
  }

  // A row of answers does not name its task.
  static void warn_of_guess(const Context& context, const ModelDescription& model, Task task) {
    if (model.identity.contains("preset") || task_of(model.config) == task) return;
    if (has_two_towers(*model.config.architecture)) return;  // the input says so
    const char* why = model.config.source.is_null() ? "no config.json beside the model names its task"
                                                    : "the model's config.json names no task that can be asked for";
    context.log(LogLevel::kWarning, fmt::format("{}; using --task {}", why, name_of(task)));
  }

  // They are answered, as in the original, by what little the tokenizer makes of them.
  static void warn_of_blanks(const Context& context, const std::vector<PredictionInput>& inputs) {
    const auto has_no_text = [](const PredictionInput& input) { return is_blank(input.text, input.text_pair); };
    const auto first = std::find_if(inputs.begin(), inputs.end(), has_no_text);
    if (first == inputs.end()) return;
    context.log(LogLevel::kWarning,
                fmt::format("blank texts: {} of {}, the first of them input {} (from 0)",
                            std::count_if(first, inputs.end(), has_no_text), inputs.size(), first - inputs.begin()));
  }

  static void warn_of_unread(const Context& context, const ModelConfig& config) {
    if (config.unread_keys.empty()) return;
    context.log(LogLevel::kInfo, fmt::format("ignoring keys of config.json that Transformers ignores too: {}",
                                             fmt::join(config.unread_keys, ", ")));
  }

  // What the worker is told.
  Json settings(const std::string& model, Task task) const {
    Json settings = {{"attention_mask", "on"}, {"batch_size", usual_batch_size(task)}};
    settings.update(chosen(Kind::kModel));
    settings["model"] = model;
    settings["task"] = task;
    if (is_script_file(model)) settings["inputs"] = kDefaultScriptInputs;
    if (is_graph_file(model)) settings["engine"] = kGraphEngine;
    settings.update(chosen(Kind::kOptional));
    drop_unused_settings(settings);
    return settings;
  }

  /// Those that are given or have a default.
  Json chosen(Kind kind) const {
    Json chosen = Json::object();
    for (const SettingTerm* term : settings_of_predict(kind)) {
      const std::string name(term->name);
      if (!texts_.at(name).empty()) chosen[name] = parsed(name);
    }
    return chosen;
  }

  DataOptions columns() const { return data_options(case_from(chosen(Kind::kColumn))); }

  PredictionInputs inputs_of(const DataLocation& place, Task task) const {
    DataOptions options = columns();
    options.split = place.split;
    return load_prediction_inputs(place.path, task, options);
  }

  // As the worker takes them, which reads no data.
  std::string listed_classes(const PredictionInputs& inputs) const {
    DataSet data;
    data.label_names = inputs.label_names;
    return canonical_json(zero_shot_classes(columns().labels, data));
  }

  // A slip in a path shows before a model is loaded, as in a table of them.
  static void add_files(const char* option, const std::vector<std::string>& files, PredictionInputs& inputs) {
    for (const std::string& file : files) {
      const auto refuse = [&](std::string_view why, std::string_view hint) {
        throw refused_value(fmt::format("{}: input {} (from 0)", option, inputs.inputs.size()), excerpt(file, 300), why,
                            hint);
      };
      std::error_code code;
      const std::filesystem::file_status status = std::filesystem::status(file, code);
      if (std::filesystem::is_directory(status)) refuse("it is a folder", "For a folder of files use --data");
      const bool is_missing = status.type() == std::filesystem::file_type::not_found;
      if (!std::filesystem::exists(status)) refuse(is_missing ? "there is no such file" : code.message(), "");
      inputs.inputs.push_back({file, {}, {}});
    }
  }

  PredictionInputs typed_inputs(Task task) const {
    DataOptions of_data = columns();
    if (is_zero_shot(task)) of_data.labels.clear();
    if (of_data.any()) throw Error(ErrorKind::kBadInput, "--labels and the columns of a data file need --data FILE");
    PredictionInputs result;
    add_files("--image", images_, result);
    add_files("--audio", sounds_, result);
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
    ScoredAnswers answers(*output, subject);
    try {
      predict(context, job, subject.inputs.inputs, answers);
    } catch (const Error& error) {
      // A file is written whole or not at all, and a part of one for `score` is no such file.
      const bool shows_part = !file && format_ != kFileForScore && answers.count() > 0;
      if (shows_part && error.kind() == ErrorKind::kBadInput) output->finish(nullptr);
      throw;
    }
    const auto scores = [&] { return answers.report([&] { check_interrupt(*job.interrupt); }); };
    if (shows_scores(format_)) {
      const std::optional<ScoreReport> shown = scores();
      output->finish(shown ? &*shown : nullptr);
      if (file) file->commit();
      return;
    }
    // The answers are whole before they are scored, which takes its time.
    output->finish(nullptr);
    if (file) file->commit();
    if (const auto logged = scores()) context.log(LogLevel::kInfo, score_line(*logged));
  }

  std::map<std::string, std::string> texts_;  // stable addresses: the options are bound to them
  std::string data_;
  std::vector<std::string> inputs_;
  std::vector<std::string> pairs_;
  std::vector<std::string> images_;
  std::vector<std::string> sounds_;
  std::optional<std::int64_t> max_length_;
  std::optional<std::int64_t> stride_;
  std::optional<std::int64_t> top_k_;
  GeneratedTextOptions text_options_;
  bool allow_no_answer_ = false;
  std::string format_;
  std::string output_ = "-";
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<PredictCommand>();
}

}  // namespace transformeter
