// `transformeter fetch`: a model or data set from the hub into the cache.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr const char* kExamples = R"(Examples:
  transformeter fetch google-bert/bert-base-uncased
      configuration, tokenizer and safetensors weights into the cache that Python's huggingface_hub uses, too
  transformeter fetch org/name --revision v1.0
      a branch, a tag or a commit
  transformeter fetch org/name --include '*.json' --exclude 'onnx/'
      other files than a model needs; * takes slashes, too
  transformeter fetch datasets/stanfordnlp/sst2
      a data set, whole
  HF_ENDPOINT=https://hub.example.org transformeter fetch org/name

What is there is not fetched again, and a download that broke off goes on. `run --model org/name` fetches by itself.
The cache is HF_HUB_CACHE, HF_HOME/hub or ~/.cache/huggingface/hub. HF_HUB_OFFLINE=1 forbids the network.)";

Json json_of(const Repository& repository, const std::string& revision, const FetchResult& result) {
  Json files = Json::array();
  for (const FetchedFile& one : result.files) {
    files.push_back({{"path", one.file.path},
                     {"size_bytes", one.file.size},
                     {"hash", one.file.hash},
                     {"was_cached", one.was_cached}});
  }
  return {{"repository", repository.name}, {"type", name_of(repository.type)}, {"revision", revision},
          {"commit", result.commit},       {"folder", result.folder.string()}, {"files", files},
          {"refused", result.refused}};
}

std::string table_of(const FetchResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const FetchedFile& one : result.files) {
    rows.push_back(
        {one.file.path, format_bytes(static_cast<double>(one.file.size)), one.was_cached ? "was there" : "fetched"});
  }
  return text_table({{"file"}, {"size", true}, {"state"}}, rows) +
         fmt::format("\ncommit {}\n{}\n", result.commit, result.folder.string());
}

class FetchCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("fetch", "download a model or data set from the Hugging Face hub");
    app->add_option("repository", name_, "a model, org/name, or a data set, datasets/org/name")
        ->option_text("MODEL|DATASET");
    describe_values(*app->add_option("--repo-type", type_, "what the name names: model or dataset [model]"),
                    "model|dataset");
    app->add_option("--revision", revision_, "a branch, tag or commit [main]")->option_text("REVISION");
    app->add_option("--include", patterns_.include, "only files that match; may be given more than once")
        ->option_text("PATTERN")
        ->allow_extra_args(false);
    app->add_option("--exclude", patterns_.exclude, "no files that match; may be given more than once")
        ->option_text("PATTERN")
        ->allow_extra_args(false);
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (name_.empty()) {
      throw Error(ErrorKind::kBadInput, "fetch takes a model, org/name, or a data set, datasets/org/name");
    }
    FetchOptions options;
    options.repository = parse_repository(repository_type(type_), name_);
    options.revision = revision_;
    options.patterns = patterns_;
    const FetchResult result = fetch_files(context, interrupt, options);
    for (const std::string& file : result.refused) {
      context.log(LogLevel::kWarning, fmt::format("'{}' was not fetched: {}", file, pickle_reason()));
    }
    write_standard_output(format_ == "json" ? json_of(options.repository, revision_, result).dump(2) + "\n"
                                            : table_of(result));
    return kExitOk;
  }

 private:
  static FetchResult fetch_files(const Context& context, const std::atomic<bool>& interrupt,
                                 const FetchOptions& options) {
    HubConnection hub(interrupt);
    TransferLine line(context.clock, stderr);
    return fetch(hub.api(), hub.cache(), options, [&](const FetchProgress& progress) { line.draw(progress); });
  }

  std::string name_;
  std::string type_ = "model";
  std::string revision_ = "main";
  std::string format_;
  Patterns patterns_;
};

}  // namespace

std::unique_ptr<Command> make_fetch_command() {
  return std::make_unique<FetchCommand>();
}

}  // namespace transformeter
