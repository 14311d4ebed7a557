// `transformeter score`: scores a file of predictions against a data set.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/score_text.h"
#include "cli/standard_output.h"
#include "schema/status.h"
#include "tasks/score_files.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr UsageExample kExamples[] = {
    {"transformeter score --task question_answering \\\n    --data dev-v1.1.json --predictions answers.json",
     "answers.json: {\"question id\": \"answer\", ...}, as for the official SQuAD scripts"},
    {"transformeter score --task sequence_classification \\\n    --data banking77/test.csv --predictions classes.txt",
     "classes.txt: one class per line, by name or number; or a table with a column 'prediction'"},
    {"transformeter score --task sequence_classification \\\n    --data banking77/test.csv --predictions answers.csv "
     "\\\n    --prediction-column intent",
     "answers.csv: a table; a column of texts or ids, if present, must match the data's"},
    {"transformeter score --task multi_label_classification \\\n    --data emotions.jsonl --predictions labels.jsonl",
     "labels.jsonl: one JSON list of labels per line, as [\"joy\", \"love\"]; [] is none. emotions.jsonl: objects with "
     "text and "
     "labels"},
    {"transformeter score --task regression --label-column score \\\n    --data sts-dev.tsv --predictions numbers.txt",
     "numbers.txt: one number per line"},
    {"transformeter score --task token_classification \\\n    --data emerging.test.annotated --predictions "
     "tagged.conll",
     "tagged.conll: one tag, or a token and its tag, per line; a blank line between sentences"},
    {"transformeter score --task speech_recognition \\\n    --data speech.tsv --predictions transcripts.jsonl",
     "word and character error rates; transcripts.jsonl: objects with prediction, or one transcript per line"},
    {"transformeter score --task causal_lm \\\n    --data wikitext-2/test.txt --predictions log_probabilities.jsonl",
     "one list of natural log probabilities per line; with --data also bits per byte and word perplexity"},
    {"transformeter score --task masked_lm \\\n    --data labels.jsonl --predictions ids.jsonl",
     "lists of token IDs, one per line; labels of -100 are ignored"},
};
constexpr const char* kNotes[] = {
    "Ratios range from 0 to 1; error rates may exceed 1. Each score has a 95 % interval: Wilson for proportions, "
    "percentile bootstrap for the rest; the column \"by\" names the method and the units it treats as independent.",
};

std::string json_text(const ScoreRequest& request, const FileScore& result) {
  Json json = {{"task", result.report.task},
               {"rules", result.report.rules},
               {"data", Json()},
               {"predictions", {{"file", request.predictions}, {"sha256", result.predictions_sha256}}},
               {"scores", scores_json(result.report)},
               {"notes", result.report.notes}};
  if (!request.data.empty()) json["data"] = {{"file", request.data}, {"sha256", result.data_sha256}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class ScoreCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    const auto column = [](const char* name, std::string& target, const char* help) {
      return OptionDeclaration{.names = {name}, .target = &target, .placeholder = "COLUMN", .help = help};
    };
    return {
        .name = "score",
        .task = CommandTask::kModels,
        .summary = "score predictions against a data set",
        .options = {{.names = {"--task"},
                     .target = &task_,
                     .placeholder = "TASK",
                     .help = "task of the predictions",
                     .words = scored_tasks(),
                     .has_only_words = true},
                    {.names = {"--data"},
                     .target = &request_.data,
                     .placeholder = "FILE|DIR|NAME",
                     .help = "data set with the true answers: file, folder, or org/name on the Hub"},
                    {.names = {"--predictions"},
                     .target = &request_.predictions,
                     .placeholder = "FILE",
                     .help = "the model's answers, in a form shown below"},
                    column("--label-column", request_.options.label_column,
                           "column with the labels; default: label, category, intent, ..."),
                    column(
                        "--text-column", request_.options.text_column,
                        "column with the texts, or paths of sounds; default: text, sentence, ... or audio, path, ..."),
                    column("--text-pair-column", request_.options.text_pair_column,
                           "column with the second texts of pairs"),
                    {.names = {"--labels"},
                     .target = &request_.options.labels,
                     .placeholder = "A,B,...|FILE",
                     .help = "class names in order, or a file of them: a JSON list, or one per line"},
                    {.names = {"--split"},
                     .target = &request_.options.split,
                     .placeholder = "SPLIT",
                     .help = "split of a data file or folder that has several"},
                    column("--prediction-column", request_.prediction_column,
                           "column with the predictions; default: prediction, pred, predicted, ..."),
                    format_option(format_, kFormats)},
        .examples = kExamples,
        .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (task_.empty())
      throw Error(ErrorKind::kBadInput, fmt::format("score needs --task, one of {}", fmt::join(scored_tasks(), ", ")));
    if (request_.predictions.empty()) throw Error(ErrorKind::kBadInput, "score needs --predictions FILE");
    const auto asked = typed_task(task_);
    request_.task = asked ? *asked : task_named(task_);
    const FoundData found = find_data(context, interrupt, request_.data, request_.options.split);
    request_.data = found.place.path;
    request_.options.split = found.place.split;
    const FileScore result = score_files(request_, [&] { check_interrupt(interrupt); });
    request_.data = found.name;
    write_standard_output(format_ == "json" ? json_text(request_, result) : score_table(result.report));
    return kExitOk;
  }

 private:
  std::string task_;
  ScoreRequest request_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace transformeter
