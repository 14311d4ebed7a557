// `transformeter fetch`: downloads a model or data set from the Hub into the cache.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "schema/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr UsageExample kExamples[] = {
    {"transformeter fetch google-bert/bert-base-uncased",
     "configuration, tokenizer and safetensors weights, into the cache shared with Python's huggingface_hub"},
    {"transformeter fetch org/name --revision v1.0", "a branch, tag or commit"},
    {"transformeter fetch org/name --include '*.json' --exclude 'onnx/'", "choose files; * matches slashes too"},
    {"transformeter fetch datasets/stanfordnlp/sst2", "a whole data set"},
    {"HF_ENDPOINT=https://hub.example.org transformeter fetch org/name"},
};
constexpr const char* kNotes[] = {
    "Cached files are not fetched again, and a broken download resumes. `run --model org/name` fetches by itself. "
    "The cache is HF_HUB_CACHE, HF_HOME/hub or ~/.cache/huggingface/hub. HF_HUB_OFFLINE=1 forbids network access.",
};

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
        {one.file.path, format_bytes(static_cast<double>(one.file.size)), one.was_cached ? "cached" : "fetched"});
  }
  return text_table({{"file"}, {"size", true}, {"state"}}, rows) +
         fmt::format("\ncommit {}\n{}\n", result.commit, result.folder.string());
}

class FetchCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "fetch",
            .task = CommandTask::kModels,
            .summary = "download a model or data set from the Hugging Face Hub",
            .options = {{.names = {"repository"},
                         .target = &name_,
                         .placeholder = "MODEL|DATASET",
                         .help = "a model, org/name, or a data set, datasets/org/name"},
                        {.names = {"--repo-type"},
                         .target = &type_,
                         .placeholder = "model|dataset",
                         .help = "what the name refers to",
                         .initial = type_},
                        {.names = {"--revision"},
                         .target = &revision_,
                         .placeholder = "REVISION",
                         .help = "branch, tag or commit",
                         .initial = revision_},
                        {.names = {"--include"},
                         .target = &patterns_.include,
                         .placeholder = "PATTERN",
                         .help = "fetch only files that match; may be repeated"},
                        {.names = {"--exclude"},
                         .target = &patterns_.exclude,
                         .placeholder = "PATTERN",
                         .help = "skip files that match; may be repeated"},
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (name_.empty()) {
      throw Error(ErrorKind::kBadInput, "fetch needs a model, org/name, or a data set, datasets/org/name");
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
