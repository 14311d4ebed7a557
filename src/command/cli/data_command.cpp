// `transformeter data`: what a data set holds, before anything is measured with it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/find_tokenizer.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/text_table.h"
#include "datasets/bundled_data.h"
#include "report/json_text.h"
#include "run/data_facts.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "spec/presets.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "json"};
constexpr FileEnding kEndings[] = {{".txt", "table"}, {".json", "json"}};
constexpr std::size_t kMostClasses = 20;  // rows of the table

constexpr UsageExample kExamples[] = {
    {"transformeter data", "the bundled sentences, in tokens of DistilBERT"},
    {"transformeter data sst2/dev.tsv --model bert-base-uncased/", "how long are they, and where would rows be cut?"},
    {"transformeter data dev-v1.1.json --model qwen2.5-0.5b --format json"},
    {"transformeter data data_full.json --split test -o data.json"},
    {"transformeter data stanfordnlp/sst2 --split validation", "a data set of the Hub, in Parquet"},
};
constexpr const char* kNotes[] = {
    "Lengths are of whole texts, special tokens included. Padding is the share of a fixed row that holds no text: "
    "`run --batching packed` computes without it. docs/data.md lists the formats.",
};

std::string percent(double ratio) {
  return fmt::format("{:.1f} %", 100 * ratio);
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

class DataCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {
        .name = "data",
        .task = CommandTask::kModels,
        .summary = "describe a data set: texts, classes, and lengths in tokens",
        .options = {{.names = {"data"},
                     .target = &file_,
                     .placeholder = "FILE|DIR|NAME|bundled",
                     .help = "data set: file, folder, or org/name on the Hub; default: the bundled sentences"},
                    {.names = {"--model"},
                     .target = &model_,
                     .placeholder = "PRESET|DIR|FILE|NAME",
                     .help = "whose tokenizer counts: preset, tokenizer folder or file, or model on the Hub",
                     .initial = model_,
                     .words = preset_names()},
                    setting_option(setting_term("text_column"), &options_.text_column),
                    setting_option(setting_term("text_pair_column"), &options_.text_pair_column),
                    setting_option(setting_term("label_column"), &options_.label_column),
                    setting_option(setting_term("labels"), &options_.labels),
                    setting_option(setting_term("split"), &options_.split),
                    {.names = {"-o", "--output"},
                     .target = &output_,
                     .placeholder = "FILE",
                     .help =
                         "file to write in place of standard output; its ending, .txt or .json, chooses the format"},
                    asked_format_option(asked_format_, kFormats)},
        .examples = kExamples,
        .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    format_ = chosen_format(asked_format_, output_, kFormats, kEndings);
    check_output();
    const bool is_bundled = file_.empty() || file_ == "bundled";
    check_reads_texts(model_);
    const FoundData found = find_data(context, interrupt, file_, options_.split);
    DataOptions options = options_;
    options.split = found.place.split;
    DataSet data =
        load_dataset(is_bundled ? bundled_texts(context.data_directory) : fs::path(found.place.path), options);
    if (!found.place.commit.empty()) data.name = found.name;
    const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(find_tokenizer(model_, context, interrupt));
    const DataFacts facts = data_facts(data, *tokenizer, [&] { check_interrupt(interrupt); });
    const std::string text = format_ == "json" ? json_text(json_of(data, facts)) : text_of(data, facts);
    write_output(output_, text);
    return kExitOk;
  }

 private:
  void check_output() const {
    for (const std::string& input : {file_, options_.labels, model_}) {
      std::error_code code;
      if (!output_.empty() && !input.empty() && fs::equivalent(output_, input, code)) {
        throw refused_value("output", output_, "it is the file that is read", "Choose another file with -o.");
      }
    }
  }

  std::string text_of(const DataSet& data, const DataFacts& facts) const {
    const Summary& tokens = facts.lengths.tokens;
    std::string text = fmt::format("{}: {}{}, {}, SHA-256 {}…\n", data.name, counted(facts.texts, "text"),
                                   facts.pairs > 0 ? fmt::format(" ({})", counted(facts.pairs, "pair")) : "",
                                   name_of(data.task), data.sha256.substr(0, 12));
    text += fmt::format(
        "tokens of {}, per text: mean {:.1f}, standard deviation {}, min {:g}, median {:g}, p90 {}, p95 {}, p99 "
        "{}, max {:g}\n",
        model_, tokens.mean, tokens.stddev ? fmt::format("{:.1f}", *tokens.stddev) : "-", tokens.min, tokens.median,
        facts.lengths.p90, facts.lengths.p95, facts.lengths.p99, tokens.max);
    std::vector<std::vector<std::string>> rows;
    for (const RowFacts& row : facts.lengths.rows) {
      rows.push_back({std::to_string(row.length), std::to_string(row.cut_texts),
                      percent(share(row.cut_texts, facts.texts)), percent(row.padding_ratio)});
    }
    text += "\n";
    text += text_table({{"rows of", true}, {"texts cut", true}, {"share", true}, {"padding", true}}, rows);
    return text + classes_text(facts);
  }

  // The largest first.
  static std::string classes_text(const DataFacts& facts) {
    if (facts.classes.empty()) return "";
    std::vector<ClassFacts> classes = facts.classes;
    std::stable_sort(classes.begin(), classes.end(),
                     [](const ClassFacts& a, const ClassFacts& b) { return a.texts > b.texts; });
    std::vector<std::vector<std::string>> rows;
    for (const ClassFacts& one : classes) {
      if (rows.size() == kMostClasses) break;
      rows.push_back({one.name, std::to_string(one.texts), percent(share(one.texts, facts.texts))});
    }
    std::string text = "\n";
    text += text_table({{"class"}, {"texts", true}, {"share", true}}, rows);
    if (classes.size() > kMostClasses) {
      text += fmt::format("{} more classes, of {} texts and fewer; --format json has them\n",
                          classes.size() - kMostClasses, classes[kMostClasses].texts);
    }
    if (facts.unlabelled > 0) text += fmt::format("{} without a label\n", counted(facts.unlabelled, "text"));
    return text;
  }

  Json json_of(const DataSet& data, const DataFacts& facts) const {
    const Summary& tokens = facts.lengths.tokens;
    Json json = {
        {"name", data.name},    {"task", name_of(data.task)},     {"sha256", data.sha256},    {"texts", facts.texts},
        {"pairs", facts.pairs}, {"unlabelled", facts.unlabelled}, {"classes", Json::array()}, {"model", model_},
        {"rows", Json::array()}};
    json["tokens"] = {{"mean", tokens.mean},      {"stddev", tokens.stddev ? Json(*tokens.stddev) : Json()},
                      {"min", tokens.min},        {"median", tokens.median},
                      {"p90", facts.lengths.p90}, {"p95", facts.lengths.p95},
                      {"p99", facts.lengths.p99}, {"max", tokens.max},
                      {"total", tokens.total}};
    for (const ClassFacts& one : facts.classes) json["classes"].push_back({{"name", one.name}, {"texts", one.texts}});
    for (const RowFacts& row : facts.lengths.rows) {
      json["rows"].push_back(
          {{"length", row.length}, {"cut_texts", row.cut_texts}, {"padding_ratio", row.padding_ratio}});
    }
    return json;
  }

  std::string file_;
  std::string model_ = std::string(setting_term("model").initial);
  DataOptions options_;
  std::string output_;
  std::optional<std::string> asked_format_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_data_command() {
  return std::make_unique<DataCommand>();
}

}  // namespace transformeter
