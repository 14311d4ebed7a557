// `transformeter score`: how good a model's answers are, from a data set and a file of predictions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "data/score_files.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr const char* kExamples = R"(Examples:
  transformeter score --task question_answering \
    --data dev-v1.1.json --predictions answers.json
      answers.json: {"question id": "answer", ...}, as the official SQuAD scripts take it
  transformeter score --task sequence_classification \
    --data banking77/test.csv --predictions classes.txt
      classes.txt: one class a line, by name or number; or a table with a column 'prediction'
  transformeter score --task sequence_classification \
    --data banking77/test.csv --predictions answers.csv --prediction-column intent
      answers.csv: a table; its column of texts or ids, if any, must agree with the data's
  transformeter score --task token_classification \
    --data emerging.test.annotated --predictions tagged.conll
      tagged.conll: one tag a line, or a token and its tag, a blank line between sentences
  transformeter score --task causal_lm \
    --data wikitext-2/test.txt --predictions log_probabilities.jsonl
      one list of natural log probabilities a line; with --data also bits per byte and word perplexity
  transformeter score --task masked_lm \
    --data labels.jsonl --predictions ids.jsonl
      lists of token ids, one a line; a label of -100 does not count

Ratios run from 0 to 1. Each score has a 95 % interval: Wilson's for shares, a percentile bootstrap's for the
others; the column "by" names the method and the units it takes for independent.)";

std::string shown_interval(const Score& score) {
  const auto& interval = score.estimate.interval;
  return interval ? fmt::format("{:.6f} to {:.6f}", interval->low, interval->high) : score.why_no_interval;
}

bool is_bootstrap(const Score& score) {
  return score.interval_method == IntervalMethod::kPercentileBootstrap;
}

std::string shown_method(const Score& score) {
  return is_bootstrap(score) ? fmt::format("bootstrap of {}", score.interval_units) : "Wilson";
}

std::string table_of(const FileScore& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Score& score : result.report.scores) {
    rows.push_back({score.name, score.group.empty() ? "all" : score.group, fmt::format("{:.6f}", score.estimate.value),
                    shown_interval(score), shown_method(score), fmt::format("{} {}", score.estimate.n, score.counts)});
  }
  std::string text = fmt::format("{} ({})\n", result.report.task, result.report.rules);
  text += text_table({{"score"}, {"of"}, {"value", true}, {"95 % interval", true}, {"by"}, {"n"}}, rows);
  if (std::any_of(result.report.scores.begin(), result.report.scores.end(), is_bootstrap)) {
    text += fmt::format("bootstrap: percentiles of {} resamples, seed {}\n", kScoreBootstrap.resamples,
                        kScoreBootstrap.seed);
  }
  for (const std::string& note : result.report.notes) text += fmt::format("note: {}\n", note);
  return text;
}

Json method_json(const Score& score) {
  Json json = {{"name", "wilson"}, {"level", kIntervalLevel}, {"units", score.interval_units}};
  if (!is_bootstrap(score)) return json;
  json["name"] = "percentile_bootstrap";
  json["resamples"] = kScoreBootstrap.resamples;
  json["seed"] = kScoreBootstrap.seed;
  return json;
}

Json json_of(const Score& score) {
  Json json = {{"score", score.name},
               {"of", score.group.empty() ? "all" : score.group},
               {"value", score.estimate.value},
               {"n", score.estimate.n},
               {"n_counts", score.counts},
               {"interval", Json()},
               {"interval_method", method_json(score)},
               {"why_no_interval", Json()}};
  if (score.estimate.interval) {
    json["interval"] = {{"low", score.estimate.interval->low}, {"high", score.estimate.interval->high}};
  } else {
    json["why_no_interval"] = score.why_no_interval;
  }
  return json;
}

std::string json_text(const ScoreRequest& request, const FileScore& result) {
  Json json = {{"task", result.report.task},
               {"rules", result.report.rules},
               {"data", Json()},
               {"predictions", {{"file", request.predictions}, {"sha256", result.predictions_sha256}}},
               {"scores", Json::array()},
               {"notes", result.report.notes}};
  if (!request.data.empty()) json["data"] = {{"file", request.data}, {"sha256", result.data_sha256}};
  for (const Score& score : result.report.scores) json["scores"].push_back(json_of(score));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class ScoreCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("score", "score a file of predictions against a data set");
    const std::string tasks = fmt::format("{}", fmt::join(scored_tasks(), ", "));
    describe_values(*app->add_option("--task", request_.task, "what was asked: " + tasks), "TASK", {scored_tasks()});
    describe_values(*app->add_option("--data", request_.data, "the data set with what is true"), "FILE");
    describe_values(*app->add_option("--predictions", request_.predictions, "what the model said, see below"), "FILE");
    describe_values(*app->add_option("--label-column", request_.options.label_column,
                                     "column of the labels [label, category, intent, ...]"),
                    "COLUMN");
    describe_values(*app->add_option("--text-column", request_.options.text_column,
                                     "column of the texts [text, sentence, content, ...]"),
                    "COLUMN");
    describe_values(
        *app->add_option("--text-pair-column", request_.options.text_pair_column, "column of the second texts"),
        "COLUMN");
    describe_values(
        *app->add_option("--labels", request_.options.labels, "the classes in order: a JSON list, or one a line"),
        "FILE");
    describe_values(*app->add_option("--split", request_.options.split, "split of a data file that holds several"),
                    "SPLIT");
    describe_values(*app->add_option("--prediction-column", request_.prediction_column,
                                     "column of a table of predictions [prediction, pred, predicted, ...]"),
                    "COLUMN");
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context&, const std::atomic<bool>&) override {
    check_format(format_, kFormats);
    if (request_.task.empty())
      throw Error(ErrorKind::kBadInput, fmt::format("score needs --task, one of {}", fmt::join(scored_tasks(), ", ")));
    if (request_.predictions.empty()) throw Error(ErrorKind::kBadInput, "score needs --predictions FILE");
    if (request_.data.empty() && request_.task != "causal_lm") {
      throw Error(ErrorKind::kBadInput, fmt::format("task {} needs --data FILE", request_.task));
    }
    const FileScore result = score_files(request_);
    write_standard_output(format_ == "json" ? json_text(request_, result) : table_of(result));
    return kExitOk;
  }

 private:
  ScoreRequest request_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace transformeter
